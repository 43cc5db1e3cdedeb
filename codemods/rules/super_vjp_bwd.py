"""Report a ``super().vjp_bwd(…)`` that leads to jax's own ``vjp_bwd``.

jax's default ``vjp_bwd`` calls ``vjp_bwd_retval_logs``, which from jax 0.12 calls an overridden ``vjp_bwd`` again: the
call is a ``RecursionError``. Up to 0.11.2 it worked.
"""

from __future__ import annotations

from codemods.edits.callers import receiver
from codemods.project.facts import RefKind
from codemods.project.unit import ClassView
from codemods.rules._base import Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta


class SuperVjpBwdRule(Rule):
    """HJX113."""

    META = RuleMeta("HJX113", "super-vjp-bwd", rewrites=False)

    def run(self) -> None:
        for use in self.unit.uses:
            found = receiver(self.unit, use)
            if found is None or found[0].kind is not RefKind.SUPER:
                continue
            view = found[1]
            heirs = [c for c in (view, *view.descendants) if c.is_primitive]
            is_rule = use.function is not None and use.function.name.value == "vjp_bwd"
            if not is_rule or not heirs or any(_has_rule_behind(c, view) or c.unknown_bases for c in heirs):
                continue
            self.manual(
                use.node,
                f"{view.qualname}.vjp_bwd",
                "super-vjp-bwd",
                "`super().vjp_bwd(…)` leads to jax's own rule: from jax 0.12 this is a RecursionError",
                "call `self.vjp_bwd_retval(res, g)` and accumulate what it returns",
            )


def _has_rule_behind(heir: ClassView, view: ClassView) -> bool:
    """Whether a class behind ``view`` in the method resolution order of ``heir`` has the rule."""
    lineage = heir.lineage
    return any(ancestor.own("vjp_bwd") for ancestor in lineage[lineage.index(view) + 1 :])


RULE = SuperVjpBwdRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "a base of the project that has the rule",
        """\
from jax.experimental.hijax import HiPrim


class Base(HiPrim):
    def vjp_bwd(self, res, g, x_acc):
        x_acc.accum(g * res)


class Doubled(Base):
    def vjp_bwd(self, res, g, x_acc):
        super().vjp_bwd(res, 2 * g, x_acc)
""",
        None,
    ),
)
