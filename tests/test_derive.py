"""Derived reverse rules: where the line goes, how names are imported, when symbolic zeros are instantiated."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.types import FileResult
from tests.conftest import Rewriter

CLASS = """\


class Mul({base}):
    def expand(self, x, y):
        return x * y

    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return self(x, y), dx * y + x * dy
"""

# import lines before, the base as written → import lines after, spelling of the three names
FORMS = {
    "from-import": (
        "import jax\nfrom jax.experimental.hijax import HiPrim",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp",
        "",
    ),
    "kept in order": (
        "import jax\nfrom jax.experimental.hijax import HiPrim, HiType, register_hitype",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import HiPrim, HiType, Zero, instantiate_zeros, register_hitype, "
        "vjp_from_jvp",
        "",
    ),
    "no order to keep": (
        "import jax\nfrom jax.experimental.hijax import register_hitype, HiPrim",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import register_hitype, HiPrim, Zero, instantiate_zeros, vjp_from_jvp",
        "",
    ),
    "one is there": (
        "import jax\nfrom jax.experimental.hijax import HiPrim, Zero",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp",
        "",
    ),
    "in parentheses": (
        "import jax\nfrom jax.experimental.hijax import (HiPrim)",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import (HiPrim, Zero, instantiate_zeros, vjp_from_jvp)",
        "",
    ),
    "one a line with comments": (
        "import jax\nfrom jax.experimental.hijax import (  # why\n    HiPrim,  # the base\n"
        "    HiType,  # noqa: F401\n)",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import (  # why\n    HiPrim,  # the base\n    HiType,  # noqa: F401\n"
        "    Zero,\n    instantiate_zeros,\n    vjp_from_jvp,\n)",
        "",
    ),
    "one a line, no last comma": (
        "import jax\nfrom jax.experimental.hijax import (\n    HiPrim,\n    HiType  # last\n)",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import (\n    HiPrim,\n    Zero,\n    instantiate_zeros,\n"
        "    vjp_from_jvp,\n    HiType  # last\n)",
        "",
    ),
    "several on a line": (
        "import os; import jax; from jax.experimental.hijax import HiPrim; import sys",
        "HiPrim",
        "import os; import jax; from jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp; "
        "import sys",
        "",
    ),
    "jax is not imported": (
        '"""Doc."""\nfrom __future__ import annotations\n\n# the base\nfrom jax.experimental.hijax import HiPrim',
        "HiPrim",
        '"""Doc."""\nfrom __future__ import annotations\n\n# the base\nimport jax\n'
        "from jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp",
        "",
    ),
    "star": (
        "import jax\nfrom jax.experimental.hijax import *",
        "HiPrim",
        "import jax\nfrom jax.experimental.hijax import *",
        "",
    ),
    "module": (
        "import jax\nfrom jax.experimental import hijax",
        "hijax.HiPrim",
        "import jax\nfrom jax.experimental import hijax",
        "hijax.",
    ),
    "module alias": (
        "import jax\nimport jax.experimental.hijax as hjx",
        "hjx.HiPrim",
        "import jax\nimport jax.experimental.hijax as hjx",
        "hjx.",
    ),
    "dotted": (
        "import jax\nimport jax.experimental.hijax",
        "jax.experimental.hijax.HiPrim",
        "import jax\nimport jax.experimental.hijax",
        "jax.experimental.hijax.",
    ),
    "private module": (
        "import jax\nfrom jax._src.hijax import HiPrim",
        "HiPrim",
        "import jax\nfrom jax._src.hijax import HiPrim\nfrom jax.experimental.hijax import {added}",
        None,
    ),
    "alias of the base": (
        "import jax\nfrom jax.experimental.hijax import HiPrim as Prim",
        "Prim",
        "import jax\nfrom jax.experimental.hijax import HiPrim as Prim, Zero, instantiate_zeros, vjp_from_jvp",
        "",
    ),
    "try/except": (
        "import jax\ntry:\n    from jax.experimental.hijax import HiPrim\nexcept ImportError:\n"
        "    from jax.experimental.hijax import VJPHiPrimitive as HiPrim",
        "HiPrim",
        "import jax\ntry:\n    from jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp\n"
        "except ImportError:\n    from jax.experimental.hijax import VJPHiPrimitive as HiPrim",
        "",
    ),
    "the other branch first": (
        "import jax\nif jax.__version_info__ < (0, 11, 2):\n"
        "    from jax.experimental.hijax import VJPHiPrimitive as HiPrim\nelse:\n"
        "    from jax.experimental.hijax import HiPrim",
        "HiPrim",
        "import jax\nif jax.__version_info__ < (0, 11, 2):\n"
        "    from jax.experimental.hijax import VJPHiPrimitive as HiPrim\nelse:\n"
        "    from jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp",
        "",
    ),
    "jax under another name": (
        "import jax as j\nfrom jax.experimental import hijax",
        "hijax.HiPrim",
        "import jax as j\nfrom jax.experimental import hijax",
        "hijax.",
    ),
    "zeros from jax.interpreters": (
        "import jax\nfrom jax.interpreters.ad import Zero, instantiate_zeros\nfrom jax.experimental import hijax",
        "hijax.HiPrim",
        "import jax\nfrom jax.interpreters.ad import Zero, instantiate_zeros\nfrom jax.experimental import hijax",
        ("", "hijax."),
    ),
}


@pytest.mark.parametrize(("before", "base", "after", "prefix"), FORMS.values(), ids=FORMS.keys())
def test_names_are_imported_in_the_form_of_the_file(
    before: str, base: str, after: str, prefix: str | tuple[str, str] | None, migrate: Rewriter
) -> None:
    result = migrate((before + CLASS.format(base=base)).encode())
    assert result.error is None and result.manual == (), result
    text = result.after.decode()
    if prefix is None:
        for name in ("Zero", "instantiate_zeros", "vjp_from_jvp"):
            assert text.count(f"from jax.experimental.hijax import {name}\n") == 1
        return
    zero, pair = prefix if isinstance(prefix, tuple) else (prefix, prefix)
    jax = "j" if "as j\n" in before else "jax"
    line = f"tangents = {jax}.tree.map({zero}instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, {zero}Zero))"
    expected = CLASS.format(base=base).replace("tangents):\n", f"tangents):\n        {line}\n")
    assert text == after + expected + f"\n    vjp_fwd, vjp_bwd_retval = {pair}vjp_from_jvp\n"


def test_import_inside_a_function(migrate: Rewriter) -> None:
    source = """
        def build():
            from jax.experimental.hijax import HiPrim

            class Sin(HiPrim):
                def jvp(self, primals, tangents):
                    (x,), (dx,) = primals, tangents
                    return self(x), dx
            return Sin
    """
    text = migrate(source).after.decode()
    assert "    from jax.experimental.hijax import HiPrim, vjp_from_jvp\n" in text
    assert "            return self(x), dx\n\n        vjp_fwd, vjp_bwd_retval = vjp_from_jvp\n    return Sin\n" in text


HEAD = "import jax\nfrom jax.experimental import hijax\n\n\n"


def _body(migrate: Rewriter, body: str, **settings: object) -> FileResult:
    return migrate((HEAD + dedent(body).lstrip("\n")).encode(), **settings)


ZEROS_TREATED = {
    "map": "dx, dy = map(hijax.instantiate_zeros, tangents)",
    "comprehension": "dx, dy = [hijax.instantiate_zeros(t) for t in tangents]",
    "one by one": "dx = hijax.instantiate_zeros(tangents[0]); dy = hijax.instantiate_zeros(tangents[1])",
    "tree map with is_leaf": (
        "dx, dy = jax.tree.map(hijax.instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, hijax.Zero))"
    ),
    "isinstance": "dx, dy = (0.0 if isinstance(t, hijax.Zero) else t for t in tangents)",
    "type": "dx, dy = (0.0 if type(t) is hijax.Zero else t for t in tangents)",
    "helper": "dx, dy = dense(tangents)",
}
ZEROS_NOT_TREATED = {
    "plain": "dx, dy = tangents",
    "tree map without is_leaf": "dx, dy = jax.tree.map(hijax.instantiate_zeros, tangents)",
    "other helper": "dx, dy = twice(tangents)",
}
JVP = """
    def dense(ts):
        return [hijax.instantiate_zeros(t) for t in ts]

    def twice(ts):
        return [2 * t for t in ts]

    class Mul(hijax.HiPrim):
        def jvp(self, primals, tangents):
            x, y = primals
            {line}
            return self(x, y), dx * y + x * dy
"""


@pytest.mark.parametrize("line", ZEROS_TREATED.values(), ids=ZEROS_TREATED.keys())
def test_a_rule_that_treats_zeros_is_left_alone(line: str, migrate: Rewriter) -> None:
    result = _body(migrate, JVP.format(line=line))
    assert result.after.decode() == HEAD + dedent(JVP.format(line=line)).lstrip("\n") + (
        "\n    vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp\n"
    )


@pytest.mark.parametrize("line", ZEROS_NOT_TREATED.values(), ids=ZEROS_NOT_TREATED.keys())
def test_a_naive_rule_of_two_inputs_instantiates_zeros(line: str, migrate: Rewriter) -> None:
    text = _body(migrate, JVP.format(line=line)).after.decode()
    assert (
        "    def jvp(self, primals, tangents):\n        tangents = jax.tree.map(hijax.instantiate_zeros, tang" in text
    )


@pytest.mark.parametrize("unpack", ["(x,), (dx,) = primals, tangents", "x, = primals; dx, = tangents", "[x] = primals"])
def test_one_input_needs_no_zeros(unpack: str, migrate: Rewriter) -> None:
    source = f"""
        class Sin(hijax.HiPrim):
            def jvp(self, primals, tangents):
                {unpack}
                return self(x), tangents[0]
    """
    assert b"instantiate" not in _body(migrate, source).after


def test_one_pytree_input_needs_zeros(migrate: Rewriter) -> None:
    source = """
        class Norm(hijax.HiPrim):
            def expand(self, p):
                return p["w"] + p["b"]
            def jvp(self, primals, tangents):
                (p,), (dp,) = primals, tangents
                return self(p), dp["w"] + dp["b"]
    """
    assert b"instantiate_zeros" in _body(migrate, source).after


def test_handwritten_lin_and_linearized(migrate: Rewriter) -> None:
    source = """
        class Mul(hijax.HiPrim):
            jvp = hijax.jvp_from_lin

            def lin(self, nzs_in, x, y):
                return self(x, y), (x, y)

            def linearized(self, res, dx, dy):
                '''Linear.'''
                x, y = res
                return dx * y + x * dy
    """
    text = _body(migrate, source).after.decode()
    assert (
        "        '''Linear.'''\n        dx, dy = jax.tree.map(hijax.instantiate_zeros, (dx, dy), "
        "is_leaf=lambda t: isinstance(t, hijax.Zero))\n" in text
    )
    assert text.endswith("return dx * y + x * dy\n\n    vjp_fwd, vjp_bwd_retval = hijax.vjp_from_lin\n")


def test_linearize_from_jvp_is_not_by_hand(migrate: Rewriter) -> None:
    source = """
        class Sin(hijax.HiPrim):
            def jvp(self, primals, tangents):
                (x,), (dx,) = primals, tangents
                return self(x), dx
            lin, linearized = hijax.linearize_from_jvp
    """
    text = _body(migrate, source).after.decode()
    assert "return self(x), dx\n    vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp\n    lin, linearized" in text or (
        "return self(x), dx\n\n    vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp\n    lin, linearized" in text
    )


def test_a_one_line_rule_becomes_a_block(migrate: Rewriter) -> None:
    source = """
        class Mul(hijax.HiPrim):
          def expand(self, x, y): return x * y
          def jvp(self, primals, tangents): return self(*primals), tangents[0] * primals[1]  # product
    """
    text = _body(migrate, source).after.decode()
    assert text.endswith(
        "  def jvp(self, primals, tangents):\n"
        "    tangents = jax.tree.map(hijax.instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, hijax.Zero))\n"
        "    return self(*primals), tangents[0] * primals[1]  # product\n"
        "  vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp\n"
    )


def test_below_a_class_that_gets_the_pair_only_zeros_are_added(migrate: Rewriter) -> None:
    source = """
        class Base(hijax.HiPrim):
            def jvp(self, primals, tangents):
                raise NotImplementedError

        class Mid(Base):
            def jvp(self, primals, tangents):
                x, y = primals
                return self(x, y), tangents[0]

        class Leaf(Mid):
            def jvp(self, primals, tangents):
                x, y = primals
                return self(x, y), tangents[1]
    """
    result = _body(migrate, source)
    assert [change.symbol for change in result.changes] == ["Mid.jvp", "Leaf.jvp"]
    assert result.after.count(b"vjp_from_jvp") == 1 and result.after.count(b"instantiate_zeros") == 2


def test_a_mixin_that_carries_the_rule_gets_the_pair(migrate: Rewriter) -> None:
    source = """
        class Linear:
            def jvp(self, primals, tangents):
                (x,), (dx,) = primals, tangents
                return self(x), self(dx)

        class Scale(Linear, hijax.HiPrim):
            def expand(self, x):
                return 2 * x
    """
    text = _body(migrate, source).after.decode()
    assert "self(dx)\n\n    vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp\n\nclass Scale" in text


REPORTED = {
    "needs-jax-0.11": (
        "==0.10.*",
        "class Op(hijax.VJPHiPrimitive):\n    def jvp(self, primals, tangents): return 1, 2\n",
    ),
    "unknown-base": (
        "",
        "from .m import M\nclass Op(M, hijax.HiPrim):\n    def jvp(self, primals, tangents): return 1, 2\n",
    ),
    "unclear-jvp": (
        "",
        "class Op(hijax.HiPrim):\n    if jax:\n        def jvp(self, primals, tangents): return 1, 2\n",
    ),
    "jvp-in-mixin": (
        "",
        "class M:\n    def jvp(self, primals, tangents): return 1, 2\n"
        "class A(M, hijax.HiPrim):\n    def expand(self, x): return x\n"
        "class B(M, hijax.HiPrim):\n    def vjp_fwd(self, nzs, x): return x, x\n"
        "    def vjp_bwd_retval(self, res, g): return (g,)\n",
    ),
    "half-a-reverse-rule": (
        "",
        "class Op(hijax.HiPrim):\n    def vjp_fwd(self, nzs, x): return x, x\n",
    ),
}


@pytest.mark.parametrize(("jax", "source"), REPORTED.values(), ids=REPORTED.keys())
def test_reported(jax: str, source: str, request: pytest.FixtureRequest, migrate: Rewriter) -> None:
    result = migrate((HEAD + source).encode(), jax=jax)
    assert result.error is None and result.after == result.before
    assert [item.reason for item in result.manual] == [request.node.callspec.id]


def test_on_jax_0_11_0_the_halves_have_names_of_their_own(migrate: Rewriter) -> None:
    source = """
        class Sin(hijax.VJPHiPrimitive):
            def jvp(self, primals, tangents):
                (x,), (dx,) = primals, tangents
                return self(x), dx
    """
    text = _body(migrate, source, jax="==0.11.0").after.decode()
    assert text.endswith(
        "return self(x), dx\n\n    vjp_fwd = hijax.vjp_fwd_from_jvp\n    vjp_bwd_retval = hijax.transpose_jvp\n"
    )


def test_no_spelling_serves_0_11_0_and_later(migrate: Rewriter) -> None:
    result = _body(migrate, "class Op(hijax.HiPrim):\n    def jvp(self, p, t): return 1, 2\n", jax=">=0.11.0")
    assert [item.reason for item in result.manual] == ["needs-jax-0.11"] and "0.11.0" in result.manual[0].message


PARTLY = {
    "one instantiated": "dx, dy = tangents\n            dx = hijax.instantiate_zeros(dx)",
    "one tested": "dx, dy = tangents\n            dx = 0.0 if isinstance(dx, hijax.Zero) else dx",
}


@pytest.mark.parametrize("line", PARTLY.values(), ids=PARTLY.keys())
def test_a_rule_that_treats_only_some_tangents_instantiates_all(line: str, migrate: Rewriter) -> None:
    text = _body(migrate, JVP.format(line=line)).after.decode()
    assert "tangents):\n        tangents = jax.tree.map(" in text


def test_a_base_that_its_subclasses_complete_is_no_half(migrate: Rewriter) -> None:
    source = """
        class Base(hijax.HiPrim):
            def vjp_fwd(self, nzs, x): return x, x

        class Op(Base):
            def vjp_bwd_retval(self, res, g): return (g,)
    """
    assert _body(migrate, source).manual == ()


def test_a_reverse_rule_that_only_raises_is_no_rule(migrate: Rewriter) -> None:
    base = """
        class Base(hijax.HiPrim):
            def vjp_fwd(self, nzs, x): raise NotImplementedError
            def {name}(self, res, g): raise NotImplementedError

        class Op(Base):
            def jvp(self, primals, tangents):
                (x,), (dx,) = primals, tangents
                return self(x), dx
    """
    assert _body(migrate, base.format(name="vjp_bwd_retval")).changes
    # A `vjp_bwd` of a base would win over the derived pair.
    assert [i.reason for i in _body(migrate, base.format(name="vjp_bwd")).manual] == ["reverse-rule-raises"]


def test_a_lambda_cannot_be_given_a_statement(migrate: Rewriter) -> None:
    result = _body(migrate, "class Op(hijax.HiPrim):\n    jvp = lambda self, p, t: (self(*p), t[0] * t[1])\n")
    assert [item.reason for item in result.manual] == ["unclear-jvp"]
