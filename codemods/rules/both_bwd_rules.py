"""Report a primitive that has both ``vjp_bwd`` and ``vjp_bwd_retval``.

Up to jax 0.11.1 that was ``AttributeError: … should not override both`` at construction. From 0.11.2 the check is gone
and ``vjp_bwd`` silently wins, also where the two come from different classes along the bases, or where
``vjp_fwd, vjp_bwd_retval = vjp_from_jvp`` stands beside a leftover ``vjp_bwd``.
"""

from __future__ import annotations

from codemods.project.facts import ClassKey
from codemods.rules._base import Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta

_RETVAL = ("vjp_bwd_retval", "vjp_bwd_retval_logs")


class BothBwdRulesRule(Rule):
    """HJX111."""

    META = RuleMeta("HJX111", "both-bwd-rules", rewrites=False)

    def run(self) -> None:
        reported: set[ClassKey] = set()
        for view in self.unit.classes:
            found = view.find("vjp_bwd")
            if not view.is_primitive or found is None or found.owner.key in reported:
                continue
            other = next((name for name in _RETVAL if view.find(name) is not None), None)
            if other is not None:
                reported.add(found.owner.key)
                self.manual(
                    found.last.node,
                    f"{found.owner.qualname}.vjp_bwd",
                    "both-bwd-rules",
                    f"`{view.qualname}` has both `vjp_bwd` and `{other}`: from jax 0.11.2 `vjp_bwd` silently wins",
                    "delete the rule that is not wanted",
                )


RULE = BothBwdRulesRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "one of the two is right",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd(self, res, g, x_acc):
        x_acc.accum(g * res)
""",
        None,
    ),
)
