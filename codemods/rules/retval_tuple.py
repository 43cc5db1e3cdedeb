"""Make ``vjp_bwd_retval`` return a tuple.

jax wants exactly a tuple with one cotangent per input: a list is ``ValueError: Expected tuple, got …`` in every
release, and so is a bare value, even for a primitive with one input. ``jax.custom_vjp`` accepts a list, so ported
code has them.

A list display becomes a tuple display, another list goes through ``tuple(…)``, a single value of a primitive that
provably has one input becomes ``(value,)``. Nothing else is touched: what may already be a tuple is left alone.
"""

from __future__ import annotations

import libcst as cst

from codemods.edits.definitions import decorator_problem
from codemods.edits.ops import Replace
from codemods.edits.returns import ReturnStyle, as_tuple, display_as_tuple, tuple_return
from codemods.hijax.values import ValueKind, Values
from codemods.project.unit import ClassView
from codemods.rules._base import Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta


class RetvalTupleRule(Rule):
    """HJX104."""

    META = RuleMeta("HJX104", "retval-tuple")

    def run(self) -> None:
        for view in self.unit.classes:
            users = [c for c in (view, *view.descendants) if c.is_primitive]
            for member in view.own("vjp_bwd_retval"):
                if users and member.function is not None and decorator_problem(member.function, view) is None:
                    self._method(view, users, member.function)
                elif users and isinstance(member.value, cst.Lambda) and isinstance(member.value.body, cst.List):
                    display = member.value.body
                    message = "`vjp_bwd_retval` returns a list: jax wants a tuple"
                    edit = Replace(display, lambda node: display_as_tuple(node) if isinstance(node, cst.List) else node)
                    self.rewrite(member.node, f"{view.qualname}.vjp_bwd_retval", message, [edit])

    def _method(self, view: ClassView, users: list[ClassView], function: cst.FunctionDef) -> None:
        values = Values(function, view.module.names_in(function, users[0]))
        if values.body.is_generator or function.asynchronous is not None:
            return
        arities = {user.inputs.arity for user in users}
        style = ReturnStyle(values, None, "self", frozenset(), frozenset())
        symbol = f"{view.qualname}.vjp_bwd_retval"
        for node in values.body.returns:
            if node.value is None:
                continue
            kind = values.of(node.value).kind
            if kind is ValueKind.LEAF and arities != {1}:
                known = "an unknown number of" if arities == {None} else "more than one"
                self.manual(
                    node,
                    symbol,
                    "unclear-return",
                    f"this returns a single value, but the primitive has {known} inputs; jax wants a tuple",
                    "return a tuple with one cotangent per input",
                )
            elif as_tuple(style, node.value, node.value) is not node.value:
                message = "`vjp_bwd_retval` returns a list: jax wants a tuple"
                if kind is ValueKind.LEAF:
                    message = "`vjp_bwd_retval` returns a bare value: jax wants a tuple"
                self.rewrite(node, symbol, message, [Replace(node, tuple_return(style, node))])


RULE = RetvalTupleRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "a list display",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd_retval(self, res, g):
        x, y = res
        return [g * y, g * x]
""",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd_retval(self, res, g):
        x, y = res
        return (g * y, g * x)
""",
    ),
    Example(
        "a tuple already",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd_retval(self, res, g):
        return g * res, None
""",
        None,
    ),
)
