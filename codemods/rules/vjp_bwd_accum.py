"""Turn the cotangents that a ``vjp_bwd`` returns into accumulator calls.

``vjp_bwd(self, res, g, *arg_accums)`` gets one pytree of accumulators per input and returns ``None``. This rule adds
the accumulator parameters, named after the inputs, and makes each ``return`` accumulator calls followed by ``return
None``: ``x_acc.accum(ct)`` for a cotangent that is certainly one array, ``jax.tree.map(lambda acc, ct: acc.accum(ct),
…)`` for anything that may be a pytree, nothing for a literal ``None`` (an input that never gets a cotangent is named
in a ``del``). Cotangents are computed once, in the order in which they were computed before.

It is taken with ``--bwd accum``, and with ``--bwd retval`` where ``vjp_bwd_retval`` cannot express the rule.

It stops where a returned value may be something else than a sequence of cotangents, where the number of cotangents is
not the number of inputs, and where a caller uses the returned cotangents.
"""

from __future__ import annotations

from codemods.rules._backward import BackwardRule
from codemods.rules._command import libcst_command
from codemods.types import BwdStyle, Example, RuleMeta


class VjpBwdAccumRule(BackwardRule):
    """HJX102."""

    META = RuleMeta("HJX102", "vjp-bwd-accum", bwd=BwdStyle.ACCUM)
    STYLE = BwdStyle.ACCUM


RULE = VjpBwdAccumRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "accumulators named after the inputs",
        """\
import jax
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def expand(self, x, n):
        return x * 2.0**n

    def vjp_bwd(self, res, g):
        return g * 2.0**res, None
""",
        """\
import jax
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def expand(self, x, n):
        return x * 2.0**n

    def vjp_bwd(self, res, g, x_acc, n_acc):
        del n_acc
        x_acc.accum(g * 2.0**res)
        return None
""",
    ),
    Example(
        "a whole tuple of cotangents",
        """\
import jax
from jax.experimental.hijax import HiPrim


class Layer(HiPrim):
    def expand(self, params, x):
        return params["w"] @ x

    def vjp_fwd(self, nzs_in, params, x):
        return jax.vjp(self.expand, params, x)

    def vjp_bwd(self, pull, g):
        return pull(g)
""",
        """\
import jax
from jax.experimental.hijax import HiPrim


class Layer(HiPrim):
    def expand(self, params, x):
        return params["w"] @ x

    def vjp_fwd(self, nzs_in, params, x):
        return jax.vjp(self.expand, params, x)

    def vjp_bwd(self, pull, g, params_acc, x_acc):
        jax.tree.map(lambda acc, ct: acc.accum(ct), (params_acc, x_acc), pull(g))
        return None
""",
    ),
    Example(
        "accumulates already",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd(self, res, g, x_acc):
        return x_acc.accum(g * res)
""",
        None,
    ),
)
