"""Report a ``vjp_bwd`` that gives an input no cotangent: its gradient is silently zero.

A ``vjp_bwd`` that returns nothing must accumulate. In every release, an input whose accumulator is never used gets a
zero gradient without an error. That is right for an input that is not differentiated, such as an integer: say so with
``del n_acc`` or a name that starts with an underscore.
"""

from __future__ import annotations

from codemods.hijax.backward import BwdForm
from codemods.rules._base import Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta


class DropsGradientRule(Rule):
    """HJX112."""

    META = RuleMeta("HJX112", "drops-gradient", rewrites=False)

    def run(self) -> None:
        for group in self.context.groups:
            for definition in group.definitions:
                if definition.form is BwdForm.NOTHING:
                    message = "`vjp_bwd` neither accumulates nor returns cotangents: every gradient is zero"
                    help_text = "accumulate a cotangent into each input's accumulator"
                elif definition.form in (BwdForm.ACCUMULATES, BwdForm.LOGS) and definition.backward.untouched:
                    names = ", ".join(f"`{name}`" for name in definition.backward.untouched)
                    message = f"`vjp_bwd` never uses {names}: the gradient of that input is zero"
                    help_text = "accumulate its cotangent; if the input is not differentiated, say so with `del`"
                else:
                    continue
                self.manual(definition.anchor, definition.symbol, "drops-gradient", message, help_text)


RULE = DropsGradientRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "an input that is not differentiated",
        """\
from jax.experimental.hijax import HiPrim


class Power(HiPrim):
    def vjp_bwd(self, res, g, x_acc, n_acc):
        del n_acc
        x_acc.accum(g * res)
""",
        None,
    ),
)
