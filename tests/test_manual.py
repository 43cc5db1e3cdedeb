"""What a person must do: each reason, where it is reported, and that the source stays as it was."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from codemods.types import BwdStyle
from tests.conftest import Rewriter

HEAD = "import functools\nimport jax\nfrom jax.experimental.hijax import HiPrim, NullAccum\n\n\n"

# body of a primitive class → (reason, line inside the body)
BODIES = {
    "dict display": (
        "dict-is-logs",
        2,
        """
        def vjp_bwd(self, res, g):
            return {"x": g * res}
    """,
    ),
    "dict call": (
        "dict-is-logs",
        2,
        """
        def vjp_bwd(self, res, g, x_acc):
            return dict(x=g)
    """,
    ),
    "dict bound to a name": (
        "dict-is-logs",
        3,
        """
        def vjp_bwd(self, res, g, x_acc):
            cts = {"x": g}
            return cts
    """,
    ),
    "accumulates and returns": (
        "accumulates-and-returns",
        3,
        """
        def vjp_bwd(self, res, g, x_acc, y_acc):
            x_acc.accum(g)
            return (None, g)
    """,
    ),
    "accumulates through a map and returns": (
        "accumulates-and-returns",
        3,
        """
        def vjp_bwd(self, res, g, x_acc):
            jax.tree.map(lambda a, c: a.accum(c), x_acc, g)
            return (g,)
    """,
    ),
    "generator": (
        "generator",
        1,
        """
        def vjp_bwd(self, res, g):
            yield g
    """,
    ),
    "generator that returns": (
        "generator",
        1,
        """
        def vjp_bwd(self, res, g):
            yield from res
            return (g,)
    """,
    ),
    "async": (
        "async",
        1,
        """
        async def vjp_bwd(self, res, g):
            return (g,)
    """,
    ),
    "unknown call": (
        "unclear-return",
        2,
        """
        def vjp_bwd(self, res, g):
            return compute(res, g)
    """,
    ),
    "residuals handed back": (
        "unclear-return",
        2,
        """
        def vjp_bwd(self, res, g):
            return res
    """,
    ),
    "rebound parameter": (
        "unclear-return",
        4,
        """
        def vjp_bwd(self, res, g):
            if res:
                g = (g,)
            return g
    """,
    ),
    "loop variable": (
        "unclear-return",
        3,
        """
        def vjp_bwd(self, res, g):
            for cts in res:
                return cts
            return (g,)
    """,
    ),
    "conditional of a tuple and a call": (
        "unclear-return",
        2,
        """
        def vjp_bwd(self, res, g):
            return (g,) if res else compute(g)
    """,
    ),
    "dict or tuple": (
        "unclear-return",
        3,
        """
        def vjp_bwd(self, res, g):
            if res:
                return {"x": g}
            return (g,)
    """,
    ),
    "generator expression": (
        "unclear-return",
        2,
        """
        def vjp_bwd(self, res, g):
            return (r * g for r in res)
    """,
    ),
    "boolean operation": (
        "unclear-return",
        2,
        """
        def vjp_bwd(self, res, g):
            return res and (g,)
    """,
    ),
    "nothing on one path": (
        "unclear-return",
        3,
        """
        def vjp_bwd(self, res, g):
            if res is None:
                return
            return (g,)
    """,
    ),
    "runs off its end": (
        "unclear-return",
        1,
        """
        def vjp_bwd(self, res, g):
            if res is None:
                return (g,)
    """,
    ),
    "name bound by a nested function": (
        "unclear-return",
        6,
        """
        def vjp_bwd(self, res, g):
            cts = (g,)
            def later():
                nonlocal cts
                cts = None
            return cts
    """,
    ),
    "accumulators passed on and a value": (
        "unclear-return",
        3,
        """
        def vjp_bwd(self, res, g, x_acc):
            note(x_acc)
            return (g,)
    """,
    ),
    "single value, arity unknown": (
        "unclear-return",
        2,
        """
        def vjp_bwd(self, res, g):
            return g * res
    """,
    ),
    "single value, two inputs": (
        "unclear-return",
        3,
        """
        def expand(self, x, y): return x * y
        def vjp_bwd(self, res, g):
            return g * res
    """,
    ),
    "helper that is a generator": (
        "unclear-return",
        4,
        """
        def _cts(self, g):
            yield g
        def vjp_bwd(self, res, g):
            return self._cts(g)
    """,
    ),
    "too few cotangents": (
        "arity",
        3,
        """
        def expand(self, x, y): return x * y
        def vjp_bwd(self, res, g):
            return (g,)
    """,
    ),
    "too many cotangents": (
        "arity",
        2,
        """
        def vjp_bwd(self, res, g, x_acc):
            return (g, None)
    """,
    ),
    "accumulators against inputs": (
        "arity",
        2,
        """
        def expand(self, x, y): return x * y
        def vjp_bwd(self, res, g, x_acc):
            return (g,)
    """,
    ),
    "two lengths": (
        "arity",
        4,
        """
        def vjp_bwd(self, res, g):
            if res:
                return (g,)
            return (g, g)
    """,
    ),
    "pullback of another arity": (
        "arity",
        4,
        """
        def expand(self, x, y): return x * y
        def vjp_bwd(self, res, g):
            _, pull = jax.vjp(jax.numpy.sin, res)
            return pull(g)
    """,
    ),
    "signature": (
        "unclear-signature",
        1,
        """
        def vjp_bwd(self, *args):
            return (args[-1],)
    """,
    ),
    "unknown decorator": (
        "unknown-decorator",
        1,
        """
        @functools.cache
        def vjp_bwd(self, res, g):
            return (g,)
    """,
    ),
    "static method": (
        "unknown-decorator",
        1,
        """
        @staticmethod
        def vjp_bwd(res, g, x_acc):
            return (g,)
    """,
    ),
    "partial": (
        "not-a-plain-method",
        1,
        """
        vjp_bwd = functools.partial(print)
    """,
    ),
    "chained assignment": (
        "not-a-plain-method",
        1,
        """
        vjp_bwd = other = lambda self, res, g: (g,)
    """,
    ),
    "both rules": (
        "both-bwd-rules",
        1,
        """
        def vjp_bwd(self, res, g):
            return (g,)
        def vjp_bwd_retval(self, res, g):
            return (g,)
    """,
    ),
    "drops the gradient": (
        "drops-gradient",
        1,
        """
        def vjp_bwd(self, res, g, x_acc):
            print(res)
    """,
    ),
    "drops one gradient": (
        "drops-gradient",
        1,
        """
        def vjp_bwd(self, res, g, x_acc, y_acc):
            x_acc.accum(g)
    """,
    ),
    "leads to jax's own rule": (
        "super-vjp-bwd",
        2,
        """
        def vjp_bwd(self, res, g, *accs):
            super().vjp_bwd(res, g, *accs)
    """,
    ),
    "half a rule": (
        "half-a-reverse-rule",
        0,
        """
        def vjp_fwd(self, nzs_in, x):
            return x, x
    """,
    ),
}


def _source(body: str) -> str:
    return HEAD + "class Op(HiPrim):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"


@pytest.mark.parametrize(("reason", "line", "body"), BODIES.values(), ids=BODIES.keys())
def test_reason(reason: str, line: int, body: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    source = _source(body)
    result = migrate(source.encode(), bwd=bwd)
    assert result.error is None and result.changes == ()
    assert result.after == source.encode()
    # The class statement is line 6; a decorated method is reported at its `def`.
    at = 6 + line + (1 if "@" in body else 0)
    assert (reason, at) in [(item.reason, item.line) for item in result.manual]
    assert all(item.help and item.message and item.column >= 1 for item in result.manual)
    codes = {"HJX101" if bwd is BwdStyle.RETVAL else "HJX102"}
    assert {item.code for item in result.manual} <= codes | {"HJX103", "HJX110", "HJX111", "HJX112", "HJX113"}
    assert len(result.manual) == len({(i.line, i.column, i.code) for i in result.manual})


HIERARCHIES = {
    "an override that cannot move": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
        class B(A):
            def vjp_bwd(self, res, g):
                return compute(g)
    """,
    "a base that cannot move": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return compute(g)
        class B(A):
            def vjp_bwd(self, res, g):
                return (g,)
    """,
    "an override that is suppressed": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
        class B(A):
            def vjp_bwd(self, res, g):  # hijax-codemods: ignore
                return (g, g)
    """,
    "siblings below a stub": """
        class Base(HiPrim):
            def vjp_bwd(self, res, g):
                raise NotImplementedError
        class A(Base):
            def vjp_bwd(self, res, g):
                return (g,)
        class B(Base):
            def vjp_bwd(self, res, g):
                return compute(g)
    """,
    "a rule that is handed around": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
            def later(self):
                return self.vjp_bwd
    """,
    "a mixin that something else uses": """
        class Mixin:
            def vjp_bwd(self, res, g):
                return (g,)
        class A(Mixin, HiPrim):
            pass
        class Other(Mixin):
            pass
    """,
    "a shared function": """
        def _bwd(self, res, g):
            return (g,)
        class A(HiPrim):
            vjp_bwd = _bwd
        class B(HiPrim):
            vjp_bwd = _bwd
    """,
    "assigned from outside": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
        A.vjp_bwd = print
    """,
    "set from outside": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
        setattr(A, "vjp_bwd", print)
    """,
    "unknown base": """
        from .base import Base
        class A(Base):
            def vjp_bwd(self, res, g):
                return (g,)
    """,
    "a second name for the rule": """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
            backward = vjp_bwd
    """,
    "retval in a base": """
        class A(HiPrim):
            def vjp_bwd_retval(self, res, g):
                return (g,)
        class B(A):
            def vjp_bwd(self, res, g):
                return (g,)
    """,
}


@pytest.mark.parametrize("body", HIERARCHIES.values(), ids=HIERARCHIES.keys())
def test_a_hierarchy_moves_together_or_not_at_all(body: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    source = HEAD + dedent(body).strip("\n") + "\n"
    result = migrate(source.encode(), bwd=bwd)
    assert result.error is None and result.changes == () and result.after == source.encode()
    assert result.manual


def test_each_part_of_a_hierarchy_says_why(migrate: Rewriter) -> None:
    result = migrate(HEAD + dedent(HIERARCHIES["an override that cannot move"]))
    assert [(item.symbol, item.reason) for item in result.manual] == [
        ("A.vjp_bwd", "hierarchy"),
        ("B.vjp_bwd", "unclear-return"),
    ]
    assert "`B.vjp_bwd`" in result.manual[0].message


def test_an_unknown_mixin_could_bring_a_rule_that_wins_after_a_rename(migrate: Rewriter) -> None:
    source = HEAD + dedent("""
        from .mixins import Named
        class A(Named, HiPrim):
            def vjp_bwd(self, res, g):
                return (g * res,)
    """)
    kept = migrate(source)
    assert [item.reason for item in kept.manual] == ["unknown-base"] and kept.after == kept.before
    assert migrate(source, bwd=BwdStyle.ACCUM).changes


def test_the_unknown_base_is_named(migrate: Rewriter) -> None:
    (item,) = migrate(HEAD + dedent(HIERARCHIES["unknown base"])).manual
    assert item.reason == "unknown-base" and "`Base`" in item.message


ACCUM_ONLY = {
    "caller uses the value": (
        "caller-uses-value",
        """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
            def norm(self, res, g):
                return self.vjp_bwd(res, g)[0]
    """,
    ),
    "return in try": (
        "return-in-try",
        """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                try:
                    return (g, res())
                except ValueError:
                    return (g, None)
    """,
    ),
    "return in finally": (
        "return-in-try",
        """
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                try:
                    res()
                finally:
                    return (g, None)
    """,
    ),
    "return under suppress": (
        "return-in-try",
        """
        import contextlib
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                with contextlib.suppress(ValueError):
                    return (g, res())
                return (g, None)
    """,
    ),
}


@pytest.mark.parametrize(("reason", "body"), ACCUM_ONLY.values(), ids=ACCUM_ONLY.keys())
def test_what_only_accumulators_cannot_do(reason: str, body: str, migrate: Rewriter) -> None:
    source = HEAD + dedent(body)
    result = migrate(source, bwd=BwdStyle.ACCUM)
    assert reason in {item.reason for item in result.manual} and result.after == result.before
    assert migrate(source, bwd=BwdStyle.RETVAL).changes


def test_a_comment_that_would_go_makes_a_change_unsafe(migrate: Rewriter) -> None:
    source = HEAD + dedent("""
        class A(HiPrim):
            def vjp_bwd(
                self,
                res,
                g,
                x_acc,  # never used
            ):
                return (g,)
    """)
    kept = migrate(source)
    assert [item.reason for item in kept.manual] == ["unsafe"] and kept.after == kept.before
    forced = migrate(source, unsafe=True)
    assert [change.safety.value for change in forced.changes] == ["unsafe"]
    assert b"never used" not in forced.after and b"vjp_bwd_retval" in forced.after


def test_calls_on_unknown_values_are_listed_where_a_rule_changes(migrate: Rewriter) -> None:
    source = HEAD + dedent("""
        class A(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)

        def pull(prim, res, g):
            return prim.vjp_bwd(res, g)
    """)
    result = migrate(source)
    assert [change.symbol for change in result.changes] == ["A.vjp_bwd"]
    assert [(item.reason, item.symbol) for item in result.manual] == [("unknown-receiver", "pull")]
    assert migrate(result.after).manual == ()


PYTREES = {
    "conditional element": "        return (None if res else g), g\n",
    "name bound to a tuple": "        cts = None, g\n        return cts\n",
    "one of two tuples": "        cts = (g, g) if res else [None, g]\n        return cts\n",
}


@pytest.mark.parametrize("body", PYTREES.values(), ids=PYTREES.keys())
def test_a_computed_none_for_a_pytree(body: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    head = HEAD + 'class Op(HiPrim):\n    def expand(self, p, x):\n        return p["w"] * x\n\n'
    result = migrate((head + "    def vjp_bwd(self, res, g):\n" + body).encode(), bwd=bwd)
    assert [item.reason for item in result.manual] == ["none-for-pytree"] and result.after == result.before


def test_a_name_that_is_none_for_a_pytree_is_filled_in(migrate: Rewriter) -> None:
    head = HEAD + 'class Op(HiPrim):\n    def expand(self, p, x):\n        return p["w"] * x\n\n'
    source = head + "    def vjp_bwd(self, res, g):\n        p_ct = None\n        return p_ct, g\n"
    text = migrate(source.encode()).after.decode()
    assert text.endswith("        p_ct = None\n        return jax.tree.map(lambda _: None, self.in_avals[0]), g\n")
