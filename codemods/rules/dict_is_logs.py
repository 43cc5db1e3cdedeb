"""Report a ``vjp_bwd`` that returns a dict of cotangents: jax takes it for log entries.

From jax 0.11.1 a dict returned from ``vjp_bwd`` is a set of backward-pass log entries (``VJP.with_logs``). A rule that
returns its cotangents in a dict and accumulates nothing runs without an error and gives zero gradients. Which entry
belongs to which input is for a person to say.
"""

from __future__ import annotations

from codemods.hijax.backward import BwdForm
from codemods.rules._base import Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta


class DictIsLogsRule(Rule):
    """HJX110."""

    META = RuleMeta("HJX110", "dict-is-logs", rewrites=False)

    def run(self) -> None:
        for group in self.context.groups:
            for definition, problem in group.problems:
                if definition is not None and definition.form is BwdForm.DICT:
                    self.manual(problem.node, definition.symbol, problem.reason, problem.message, problem.help)


RULE = DictIsLogsRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "logs beside accumulated cotangents are right",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd(self, res, g, x_acc):
        x_acc.accum(g * res)
        return {"cotangent": g}
""",
        None,
    ),
)
