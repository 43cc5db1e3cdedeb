"""Shapes that look like something else: each was once judged by its shape."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.types import BwdStyle, FileStatus, Stage
from tests.conftest import Rewriter

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax.experimental.hijax import HiPrim, NullAccum\n\n\n"
ONE = "class Op(HiPrim):\n    def expand(self, x): return jnp.sin(x)\n"

# A body → the reason, in both styles; the source stays as it is.
MANUAL = {
    "a method called transpose": (
        "unclear-return",
        ONE
        + """
        def transpose(self, res, g): return compute(res, g)
        def vjp_bwd(self, res, g): return self.transpose(res, g)
    """,
    ),
    "a sum of unknown calls": (
        "unclear-return",
        ONE
        + """
        def vjp_bwd(self, res, g): return compute(res, g) + rest(res, g)
    """,
    ),
    "an unknown call repeated": (
        "unclear-return",
        ONE
        + """
        def vjp_bwd(self, res, g): return compute(res, g) * 1
    """,
    ),
    "several arrays": (
        "unclear-return",
        ONE
        + """
        def vjp_bwd(self, res, g): return jnp.unstack(g)
    """,
    ),
    "merged dicts": (
        "dict-is-logs",
        ONE
        + """
        def vjp_bwd(self, res, g): return {"a": g} | {"b": g}
    """,
    ),
    "a cotangent in the place of accumulators": (
        "unclear-signature",
        ONE
        + """
        def vjp_fwd(self, nzs_in, x):
            return self.forward(x)
        def vjp_bwd(self, res, sres, g, *accs): return (g.reshape(sres) * res,)
    """,
    ),
    "residuals of two kinds": (
        "unclear-signature",
        """
        class Op(HiPrim):
            def vjp_fwd(self, nzs_in, x): return x, x
            def vjp_bwd(self, res, g): return (g * res,)
        class Sub(Op):
            def vjp_fwd(self, nzs_in, x): return x, x, True, x
    """,
    ),
    "a pullback in the base only": (
        "unclear-return",
        """
        class Op(HiPrim):
            def vjp_fwd(self, nzs_in, x): return jax.vjp(jnp.sin, x)
            def vjp_bwd(self, res, g): return res(g)
        class Sub(Op):
            def vjp_fwd(self, nzs_in, x): return x, make(x)
    """,
    ),
    "a pullback that is rebound": (
        "unclear-return",
        """
        class Op(HiPrim):
            def vjp_fwd(self, nzs_in, x): return jax.vjp(jnp.sin, x)
            def vjp_bwd(self, res, g):
                pull = res
                res = lambda v: [2 * c for c in pull(v)]
                return res(g)
    """,
    ),
    "accumulators that a test may fill": (
        "unclear-return",
        """
        class Op(HiPrim):
            def vjp_bwd(self, res, g, x_acc):
                if self.fill(x_acc, g) == 1:
                    return (None,)
                return (g * res,)
    """,
    ),
    "an unclear lambda": (
        "unclear-return",
        """
        class Op(HiPrim):
            vjp_bwd = lambda self, res, g: self.rule(res, g)
    """,
    ),
    "set from outside only": (
        "not-a-plain-method",
        """
        class Op(HiPrim):
            pass
        Op.vjp_bwd = print
    """,
    ),
    "set on the instance": (
        "not-a-plain-method",
        """
        class Op(HiPrim):
            def __init__(self):
                self.vjp_bwd = lambda res, g: (g,)
    """,
    ),
    "a list that a caller changes": (
        "caller",
        """
        class Base(HiPrim):
            def vjp_bwd(self, res, g): return [g, g]
        class Op(Base):
            def vjp_bwd(self, res, g):
                cts = super().vjp_bwd(res, g)
                cts[0] = 2 * cts[0]
                return (cts[0], cts[1])
    """,
    ),
    "a single value that a caller scales": (
        "caller",
        """
        class Base(HiPrim):
            def expand(self, x): return x
            def vjp_bwd(self, res, g): return g * res
        def use(x): return 2 * Base(x).vjp_bwd(x, x)
    """,
    ),
    "one accumulates, the other returns as well": (
        "unclear-return",
        """
        class Base(HiPrim):
            def vjp_bwd(self, res, g, x_acc): x_acc.accum(g)
        class Op(Base):
            def vjp_bwd(self, res, g, x_acc):
                super().vjp_bwd(res, g, x_acc)
                return (g,)
    """,
    ),
}


def _source(body: str) -> bytes:
    if body.startswith(ONE):
        rest = dedent(body[len(ONE) :]).strip("\n")
        body = ONE + "".join(f"    {line}\n" for line in rest.split("\n"))
    return (HEAD + dedent(body).strip("\n") + "\n").encode()


@pytest.mark.parametrize(("reason", "body"), MANUAL.values(), ids=MANUAL.keys())
def test_not_certain(reason: str, body: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    result = migrate(_source(body), bwd=bwd)
    if reason == "caller" and bwd is BwdStyle.ACCUM:
        reason = "caller-uses-value"
    assert result.error is None and reason in {item.reason for item in result.manual}, result.manual
    assert result.after == result.before


ACCUM_ONLY = {
    "a call that drops a computation": (
        "caller",
        """
        class Base(HiPrim):
            def vjp_bwd(self, res, g, x_acc): return (g,)
        class Op(Base):
            def vjp_bwd(self, res, g, x_acc): return super().vjp_bwd(res, g, self.log(x_acc))
    """,
    ),
    "a call whose value was ignored": (
        "caller-uses-value",
        """
        class Base(HiPrim):
            def vjp_bwd(self, res, g, x_acc): return (g * res,)
        class Op(Base):
            def vjp_bwd(self, res, g, x_acc):
                super().vjp_bwd(res, g, x_acc)
                return (3 * g * res,)
    """,
    ),
    "a default before the accumulators": (
        "unclear-signature",
        """
        class Op(HiPrim):
            def vjp_bwd(self, res, g=None): return (g,)
    """,
    ),
}


@pytest.mark.parametrize(("reason", "body"), ACCUM_ONLY.values(), ids=ACCUM_ONLY.keys())
def test_not_certain_with_accumulators(reason: str, body: str, migrate: Rewriter) -> None:
    result = migrate(_source(body), bwd=BwdStyle.ACCUM)
    assert result.error is None and reason in {item.reason for item in result.manual}, result.manual
    assert result.after == result.before


QUIET = {
    "a rule of another class is returned": """
        class Other(HiPrim):
            def vjp_bwd(self, res, g, x_acc): x_acc.accum(g)
        class Op(HiPrim):
            def vjp_bwd(self, res, g, x_acc): return Other(res).vjp_bwd(res, g, x_acc)
    """,
    "a rule of another class is called": """
        class Other(HiPrim):
            def vjp_bwd(self, res, g, x_acc): x_acc.accum(g)
        class Op(HiPrim):
            def vjp_bwd(self, res, g, x_acc): Other(res).vjp_bwd(res, g, x_acc)
    """,
    "a stub of any signature": """
        class Op(HiPrim):
            def vjp_bwd(self, *args): raise NotImplementedError
    """,
    "accumulators among other arguments": """
        class Op(HiPrim):
            def vjp_bwd(self, res, *args): args[1].accum(args[0])
    """,
    "logs in debug mode": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g, x_acc):
                x_acc.accum(g)
                return {"g": g} if self.debug else None
    """,
    "logs on some paths": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g, x_acc):
                x_acc.accum(g)
                logs = None
                if self.debug:
                    logs = {"g": g}
                return logs
    """,
    "no rule": """
        class Op(HiPrim):
            vjp_bwd = None
    """,
    "retval of a decorated rule": """
        class Op(HiPrim):
            def expand(self, x): return jnp.sin(x)
            @tupled
            def vjp_bwd_retval(self, res, g): return g * 2.0
    """,
    "retval of unknown sums": """
        class Op(HiPrim):
            def expand(self, x, y): return x * y
            def vjp_bwd_retval(self, res, g):
                px, py = res
                return px(g) + py(g)
    """,
}


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET.keys())
def test_left_alone(body: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    result = migrate(_source(body), bwd=bwd)
    assert (result.error, result.changes, result.manual) == (None, (), ())


REWRITTEN = {
    "accumulators named _": (
        "    def vjp_bwd(self, res, g, *_):\n        _, pull = jax.vjp(jnp.sin, res)\n        return pull(g)\n",
        "    def vjp_bwd_retval(self, res, g):\n        _, pull = jax.vjp(jnp.sin, res)\n        return pull(g)\n",
    ),
    "something else is called accum": (
        "    def vjp_bwd(self, res, g):\n        self.stats.accum(g)\n        return [g * res]\n",
        "    def vjp_bwd_retval(self, res, g):\n        self.stats.accum(g)\n        return (g * res,)\n",
    ),
    "filled by a nested function": (
        "    def vjp_bwd(self, res, g):\n        cts = []\n        def add(v): cts.append(v)\n        add(g)\n"
        "        return cts\n",
        "    def vjp_bwd_retval(self, res, g):\n        cts = []\n        def add(v): cts.append(v)\n        add(g)\n"
        "        return tuple(cts)\n",
    ),
    "tuple means something else": (
        "    def vjp_bwd(self, res, g):\n        tuple = res\n        cts = [g]\n        return cts\n",
        "    def vjp_bwd_retval(self, res, g):\n        tuple = res\n        cts = [g]\n        return (*cts,)\n",
    ),
    "a del of a list": (
        "    def vjp_bwd(self, res, g, x_acc):\n        del [x_acc]\n        return (g,)\n",
        "    def vjp_bwd_retval(self, res, g):\n        return (g,)\n",
    ),
    "parentheses are not doubled": (
        "    def vjp_bwd(self, res, g):\n        return ([g * 2.0])\n",
        "    def vjp_bwd_retval(self, res, g):\n        return (g * 2.0,)\n",
    ),
    "three-way where": (
        "    def expand(self, x): return x\n    def vjp_bwd(self, res, g): return jnp.where(res > 0, g, 0)\n",
        "    def expand(self, x): return x\n    def vjp_bwd_retval(self, res, g): return (jnp.where(res > 0, g, 0),)\n",
    ),
    "a comment before dropped accumulators": (
        "    def vjp_bwd(\n        self,\n        res,\n        g,  # ct\n        *accs\n    ):\n        return (g,)\n",
        "    def vjp_bwd_retval(\n        self,\n        res,\n        g,  # ct\n    ):\n        return (g,)\n",
    ),
    "a stub that counts its accumulators": (
        "    def vjp_bwd(self, res, g, *accs): raise NotImplementedError(len(accs))\n\n\nclass Sub(Op):\n"
        "    def vjp_bwd(self, res, g): return (g,)\n",
        "    def vjp_bwd_retval(self, res, g, *accs): raise NotImplementedError(len(accs))\n\n\nclass Sub(Op):\n"
        "    def vjp_bwd_retval(self, res, g): return (g,)\n",
    ),
    "named through the class": (
        "    def vjp_bwd(self, res, g): return (g,)\n\n\nclass Sub(Op):\n"
        "    def vjp_bwd(self, res, g): return Op.vjp_bwd(self, res, 2 * g)\n",
        "    def vjp_bwd_retval(self, res, g): return (g,)\n\n\nclass Sub(Op):\n"
        "    def vjp_bwd_retval(self, res, g): return Op.vjp_bwd_retval(self, res, 2 * g)\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), REWRITTEN.values(), ids=REWRITTEN.keys())
def test_rewritten(before: str, after: str, migrate: Rewriter) -> None:
    result = migrate((HEAD + "class Op(HiPrim):\n" + before).encode())
    assert result.error is None and result.manual == (), result
    assert result.after.decode() == HEAD + "class Op(HiPrim):\n" + after


def test_a_condition_over_several_lines(migrate: Rewriter) -> None:
    source = HEAD + (
        "class Op(HiPrim):\n    def vjp_bwd(self, res, g, x_acc, y_acc):\n        return (\n"
        "            (g * res, None)\n"
        "            if res is not None\n            and self.flag\n            else (None, None)\n        )\n"
    )
    result = migrate(source.encode(), bwd=BwdStyle.ACCUM)
    assert result.error is None
    assert (
        "        if (res is not None\n            and self.flag):\n            x_acc.accum(g * res)\n        return"
        in (result.after.decode())
    )


@pytest.mark.parametrize("use", ["getattr(op, 'vjp_bwd')(res, g)", "jax.jit(op.vjp_bwd)(res, g)"])
def test_uses_that_cannot_be_followed_are_listed(use: str, migrate: Rewriter) -> None:
    body = f"class Op(HiPrim):\n    def vjp_bwd(self, res, g): return (g,)\n\ndef f(op, res, g): return {use}\n"
    result = migrate((HEAD + body).encode())
    assert [item.reason for item in result.manual] == ["unknown-receiver"] and result.changes


@pytest.mark.parametrize("place", ["@reg(Op.vjp_bwd)\ndef f(): ...\n", "def f(rule=Op.vjp_bwd): ...\n"])
def test_uses_in_headers_are_seen(place: str, migrate: Rewriter) -> None:
    body = "class Op(HiPrim):\n    def vjp_bwd(self, res, g): return (g,)\n\n\n"
    assert "caller" in {item.reason for item in migrate((HEAD + body + place).encode()).manual}


def test_jax_imported_for_type_checkers_only(migrate: Rewriter) -> None:
    source = dedent("""
        from typing import TYPE_CHECKING
        from jax.experimental.hijax import HiPrim
        if TYPE_CHECKING:
            import jax
        class Op(HiPrim):
            def expand(self, p, x): return p["w"] * x
            def vjp_bwd(self, res, g): return None, g
    """)
    text = migrate(source).after.decode()
    assert "import jax\nfrom jax.experimental.hijax import HiPrim\n" in text and "jax.tree.map" in text


@pytest.mark.parametrize("code", ["def f(c): return(1 if c else 2)\n", "assert(1 if 2 else 3)\n"])
def test_valid_code_that_libcst_refuses_is_an_error_of_its_file(code: str, migrate: Rewriter) -> None:
    result = migrate((HEAD + code).encode())
    assert result.status is FileStatus.FAILED and result.error is not None and result.error.stage is Stage.PARSE
