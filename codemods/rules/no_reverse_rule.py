"""Report a primitive that has no reverse rule and nothing to derive one from.

``jax.grad`` of it raises ``NotImplementedError: for grad support, subclass … must implement `vjp_fwd```. Many
primitives are never differentiated, so this rule is off unless it is selected.
"""

from __future__ import annotations

from codemods.edits.rules_of import has_forward_rule, has_reverse_rule, is_abstract
from codemods.rules._base import Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta


class NoReverseRuleRule(Rule):
    """HJX114."""

    META = RuleMeta("HJX114", "no-reverse-rule", rewrites=False, default=False)

    def run(self) -> None:
        for view in self.unit.classes:
            if not view.is_primitive or view.descendants or view.unknown_bases or is_abstract(view):
                continue
            if not has_reverse_rule(view) and not has_forward_rule(view):
                self.manual(
                    view.node,
                    view.qualname,
                    "no-reverse-rule",
                    "this primitive has neither a reverse rule nor a `jvp` or `lin` to derive one from",
                    "define `vjp_fwd` and `vjp_bwd_retval` if it is ever differentiated",
                )


RULE = NoReverseRuleRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "a primitive with a reverse rule",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_fwd(self, nzs_in, x):
        return 2 * x, None

    def vjp_bwd_retval(self, res, g):
        return (2 * g,)
""",
        None,
    ),
)
