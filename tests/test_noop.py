"""What must be left alone, byte for byte, and without a word. There are more of these than rewrites, on purpose."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from codemods.types import BwdStyle, FileStatus
from tests.conftest import Rewriter

HEAD = "import jax\nimport jax.numpy as jnp\nfrom jax.experimental.hijax import HiPrim, NullAccum, Zero\n\n\n"

RULES = {
    "accumulates": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
    """,
    "accumulates and returns None": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
            return None
    """,
    "returns what accum returns": """
        def vjp_bwd(self, res, g, x_acc):
            return x_acc.accum(g * res)
    """,
    "early return": """
        def vjp_bwd(self, res, g, x_acc):
            if isinstance(g, Zero):
                return
            x_acc.accum(g * res)
    """,
    "early return of None": """
        def vjp_bwd(self, res, g, x_acc):
            if isinstance(x_acc, NullAccum):
                return None
            x_acc.accum(g * res)
    """,
    "star accumulators": """
        def vjp_bwd(self, res, g, *accs):
            for acc, r in zip(accs, res):
                acc.accum(g * r)
    """,
    "tree map over accumulators": """
        def vjp_bwd(self, res, g, p_acc):
            jax.tree.map(lambda acc, ct: acc.accum(ct), p_acc, res)
    """,
    "writes to the reference": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.ref[...] += g * res
    """,
    "addupdate": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.inst().ref.addupdate(g * res)
    """,
    "hands accumulators to a helper": """
        def vjp_bwd(self, res, g, x_acc, y_acc):
            self._accumulate(res, g, x_acc, y_acc)
    """,
    "nested function accumulates": """
        def vjp_bwd(self, res, g, x_acc):
            def fill(ct):
                x_acc.accum(ct)
                return ct
            fill(g * res)
    """,
    "nested returns": """
        def vjp_bwd(self, res, g, x_acc):
            def double(v):
                return (v, v)
            key = lambda t: (t, t)
            class K:
                def m(self):
                    return 3
            x_acc.accum(double(g)[0])
    """,
    "logs as a display": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
            return {"norm": jnp.sum(g)}
    """,
    "logs as a call": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
            return dict(norm=jnp.sum(g))
    """,
    "logs bound to a name": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
            logs = {}
            logs["norm"] = jnp.sum(g)
            return logs
    """,
    "logs on one path": """
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
            if self.quiet:
                return None
            return {"norm": jnp.sum(g)}
    """,
    "input that is not differentiated": """
        def vjp_bwd(self, res, g, x_acc, n_acc):
            del n_acc
            x_acc.accum(g * res)
    """,
    "underscored input": """
        def vjp_bwd(self, res, g, x_acc, _n_acc):
            x_acc.accum(g * res)
    """,
    "stub that raises": """
        def vjp_bwd(self, res, g, *accs):
            raise NotImplementedError("later")
    """,
    "stub with a docstring": """
        def vjp_bwd(self, res, g, *accs):
            '''Accumulate cotangents.'''
    """,
    "stub with dots": """
        def vjp_bwd(self, res, g, *accs): ...
    """,
    "stub that passes": """
        def vjp_bwd(self, res, g, *accs):
            pass
    """,
    "structured residuals, accumulating": """
        def vjp_fwd(self, nzs_in, x):
            return x, x, True, x
        def vjp_bwd(self, res, sres, g, x_acc):
            x_acc.accum(g * res)
    """,
    "retval already": """
        def vjp_bwd_retval(self, res, g):
            return (g * res,)
    """,
    "retval of an unknown call": """
        def vjp_bwd_retval(self, res, g):
            return self.cotangents(res, g)
    """,
    "retval of a pullback": """
        def vjp_bwd_retval(self, res, g):
            _, pull = jax.vjp(self.expand, *res)
            return pull(g)
    """,
    "derived pair": """
        def jvp(self, primals, tangents):
            return self(*primals), tangents[0]
        vjp_fwd, vjp_bwd_retval = jax.experimental.hijax.vjp_from_jvp
    """,
    "jvp that only raises": """
        def jvp(self, primals, tangents):
            raise NotImplementedError("no derivative")
    """,
    "jvp with both halves": """
        def jvp(self, primals, tangents):
            return self(*primals), tangents[0]
        def vjp_fwd(self, nzs_in, x):
            return self(x), x
        def vjp_bwd(self, res, g, x_acc):
            x_acc.accum(g * res)
    """,
    "lin without linearized": """
        def lin(self, nzs_in, x):
            return self(x), x
    """,
    "no rules at all": """
        def expand(self, x):
            return x
    """,
    "a static helper of the name elsewhere": """
        def transpose(self, ct, *accs):
            return None
    """,
}


@pytest.mark.parametrize("body", RULES.values(), ids=RULES.keys())
def test_right_rules_are_left_alone(body: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    source = HEAD + "class Op(HiPrim):\n" + indent(dedent(body).strip("\n"), "    ") + "\n"
    result = migrate(source.encode(), bwd=bwd)
    assert (result.error, result.changes, result.manual) == (None, (), ())
    assert result.status is FileStatus.UNCHANGED and result.after == source.encode()


FALSE_FRIENDS = {
    "numerics for custom_vjp": """
        import abc
        class Numerics(abc.ABC):
            @abc.abstractmethod
            def vjp_bwd(self, res, grad): ...
        class Int8(Numerics):
            def vjp_fwd(self, x, context):
                return x, (x,)
            def vjp_bwd(self, res, grad):
                return (grad, None)
    """,
    "free functions": """
        import jax
        def vjp_bwd(res, g):
            return (g * res,)
        @jax.custom_vjp
        def f(x):
            return x
        f.defvjp(lambda x: (x, x), vjp_bwd)
    """,
    "own class called HiPrim": """
        class HiPrim:
            pass
        class Op(HiPrim):
            def vjp_bwd(self, res, g):
                return [g]
            def jvp(self, primals, tangents):
                return 1, 2
    """,
    "rebound name": """
        from jax.experimental.hijax import HiPrim
        HiPrim = object
        class Op(HiPrim):
            def vjp_bwd(self, res, g):
                return (g, None)
    """,
    "names in strings": '''
        from jax.experimental.hijax import HiPrim
        TEXT = """
        class Op(HiPrim):
            def vjp_bwd(self, res, g):
                return [g]
        """
        def vjp_bwd_of(op): return op.name
    ''',
    "a hijax type": """
        from jax.experimental.hijax import HiType
        class Ty(HiType):
            def vjp_bwd(self, res, g):
                return (g,)
    """,
    "a nested class with the rule": """
        from jax.experimental.hijax import HiPrim
        class Op(HiPrim):
            class Helper:
                def vjp_bwd(self, res, g):
                    return (g,)
            def vjp_bwd(self, res, g, x_acc):
                x_acc.accum(g)
    """,
    "a mixin that no primitive uses": """
        class Mixin:
            def vjp_bwd(self, res, g):
                return (g,)
        class Plain(Mixin):
            pass
    """,
    "a runtime stand-in for type checkers": """
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from jax.experimental.hijax import HiPrim
        else:
            HiPrim = object
        class Op(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
    """,
    "only a caller": """
        def pull(prim, res, g, *accs):
            prim.vjp_bwd(res, g, *accs)
    """,
    "unknown base, nothing returned": """
        from .base import Base
        class Op(Base):
            def vjp_bwd(self, res, g, x_acc):
                x_acc.accum(g)
    """,
    "unknown base, stub": """
        from .base import Base
        class Op(Base):
            def vjp_bwd(self, res, g):
                raise NotImplementedError
    """,
    "empty file": "",
    "only a comment": "# hijax vjp_bwd\n",
}


@pytest.mark.parametrize("source", FALSE_FRIENDS.values(), ids=FALSE_FRIENDS.keys())
def test_false_friends_are_left_alone(source: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    result = migrate(source, bwd=bwd)
    assert (result.error, result.changes, result.manual) == (None, (), ())
    assert result.after == result.before


SUPPRESSED = {
    "on the def line": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g):  # hijax-codemods: ignore
                return (g,)
    """,
    "by rule name": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g):  # hijax-codemods: ignore[vjp-bwd-retval, vjp-bwd-accum]
                return (g,)
    """,
    "by code": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g):  # noqa: HJX101, HJX102
                return (g,)
    """,
    "after a long signature": """
        class Op(HiPrim):
            def vjp_bwd(
                self, res, g
            ):  # hijax-codemods: ignore
                return (g,)
    """,
    "on the class line": """
        class Op(HiPrim):  # hijax-codemods: ignore
            def vjp_bwd(self, res, g):
                return (g,)
    """,
    "a manual item in a rule that is ignored": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g):  # hijax-codemods: ignore
                return compute(res)
    """,
    "skip the file": """
        # hijax-codemods: skip-file
        class Op(HiPrim):
            def vjp_bwd(self, res, g):
                return (g,)
    """,
    "a manual item": """
        class Op(HiPrim):
            def vjp_bwd(self, res, g):
                return {"x": g}  # hijax-codemods: ignore[dict-is-logs]
    """,
}


@pytest.mark.parametrize("source", SUPPRESSED.values(), ids=SUPPRESSED.keys())
def test_suppressed(source: str, migrate: Rewriter, bwd: BwdStyle) -> None:
    result = migrate(HEAD + dedent(source), bwd=bwd)
    assert (result.error, result.changes, result.manual) == (None, (), ())
    assert result.after == result.before and result.unused_suppressions == ()


def test_a_suppression_of_another_rule_does_not_count(migrate: Rewriter) -> None:
    source = HEAD + dedent("""
        class Op(HiPrim):
            def vjp_bwd(self, res, g):  # hijax-codemods: ignore[derive-vjp]
                return (g,)
    """)
    result = migrate(source)
    assert [change.code for change in result.changes] == ["HJX101"]
    assert [unused.line for unused in result.unused_suppressions] == [8]


def test_a_suppression_in_a_string_does_not_count(migrate: Rewriter) -> None:
    source = HEAD + dedent("""
        class Op(HiPrim):
            def vjp_bwd(self, res, g): return (g, "# hijax-codemods: ignore")
    """)
    assert migrate(source).changes
