"""Rename a ``vjp_bwd`` that returns cotangents to ``vjp_bwd_retval``.

From jax 0.11.1, returning a tuple from ``vjp_bwd`` raises ``TypeError: Op.vjp_bwd should return None or a dict of
backward-pass log entries, got tuple``; before, it was a bare ``AssertionError``, and under ``python -O`` silently zero
gradients. ``vjp_bwd_retval(self, res, g)`` is the method that returns cotangents: a tuple with one cotangent (or
``None``) per input.

The method is renamed, its accumulator parameters are dropped, and every return is made a tuple: a list display
becomes a tuple display, another list goes through ``tuple(…)``, a single value of a primitive that provably has one
input becomes ``(value,)``. Stubs and overrides of the same hierarchy, and calls whose receiver is certain, move
together or not at all.

It stops, and says why, where a returned value may be something else than a sequence of cotangents. Where
``vjp_bwd_retval`` cannot express the rule (the body reads its accumulators, ``vjp_fwd`` returns structured residuals,
an accumulating rule in the same hierarchy), ``vjp-bwd-accum`` takes over.
"""

from __future__ import annotations

from codemods.rules._backward import BackwardRule
from codemods.rules._command import libcst_command
from codemods.types import BwdStyle, Example, RuleMeta


class VjpBwdRetvalRule(BackwardRule):
    """HJX101."""

    META = RuleMeta("HJX101", "vjp-bwd-retval", bwd=BwdStyle.RETVAL)
    STYLE = BwdStyle.RETVAL


RULE = VjpBwdRetvalRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "a rule ported from jax.custom_vjp",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def expand(self, x, y):
        return x * y

    def vjp_bwd(self, res, g):
        x, y = res
        return [g * y, g * x]
""",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def expand(self, x, y):
        return x * y

    def vjp_bwd_retval(self, res, g):
        x, y = res
        return (g * y, g * x)
""",
    ),
    Example(
        "accumulator parameters that are never used",
        """\
from jax.experimental import hijax


class Gather(hijax.HiPrim):
    def vjp_bwd(self, res, g, x_acc, index_acc):
        del index_acc
        return res * g, None
""",
        """\
from jax.experimental import hijax


class Gather(hijax.HiPrim):
    def vjp_bwd_retval(self, res, g):
        return res * g, None
""",
    ),
    Example(
        "accumulates already",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd(self, res, g, x_acc):
        x_acc.accum(g * res)
""",
        None,
    ),
    Example(
        "not a primitive: a rule for jax.custom_vjp",
        """\
class Numerics:
    def vjp_bwd(self, res, grad):
        return (grad, None)
""",
        None,
    ),
)
