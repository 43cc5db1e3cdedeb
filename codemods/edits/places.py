"""Where the statements of a rule stand, and the places where a ``return`` cannot become several statements."""

from __future__ import annotations

import libcst as cst

from codemods.edits.definitions import Definition
from codemods.edits.problems import Problem


class Places(cst.CSTVisitor):
    """The line or suite that holds each small statement of a function, and the size of the block that holds a line.

    ``guarded`` are the returns inside a ``try`` whose handlers or ``finally`` may return as well.
    """

    def __init__(self, function: cst.FunctionDef) -> None:
        super().__init__()
        self.line: dict[cst.CSTNode, cst.SimpleStatementLine | cst.SimpleStatementSuite] = {}
        self.size: dict[cst.CSTNode, int] = {}
        self.guarded: list[cst.Return] = []
        function.visit(self)

    def visit_IndentedBlock(self, node: cst.IndentedBlock) -> None:
        for statement in node.body:
            self.size[statement] = len(node.body)

    def visit_SimpleStatementLine(self, node: cst.SimpleStatementLine) -> None:
        for small in node.body:
            self.line[small] = node

    def visit_SimpleStatementSuite(self, node: cst.SimpleStatementSuite) -> None:
        for small in node.body:
            self.line[small] = node

    def visit_Try(self, node: cst.Try) -> None:
        self._try(node)

    def visit_TryStar(self, node: cst.TryStar) -> None:
        self._try(node)

    def _try(self, node: cst.Try | cst.TryStar) -> None:
        if node.handlers:
            self.guarded += _returns(node.body)
        if node.finalbody is not None:
            self.guarded += _returns(node.finalbody)

    def visit_With(self, node: cst.With) -> None:
        # contextlib.suppress and the like: what was accumulated before the exception stays.
        if any("suppress" in cst.Module([]).code_for_node(item.item) for item in node.items):
            self.guarded += _returns(node.body)


def _returns(node: cst.CSTNode) -> list[cst.Return]:
    finder = _Returns()
    node.visit(finder)
    return finder.found


class _Returns(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.Return] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False

    def visit_Return(self, node: cst.Return) -> None:
        self.found.append(node)


def accum_problem(definition: Definition) -> Problem | None:
    """Why the returns of a rule cannot become accumulator calls: some could run besides others."""
    if isinstance(definition.member.value, cst.Lambda):
        line = definition.member.line
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
            message = "the rule is a lambda on a line with other statements"
            return Problem(definition.anchor, "not-a-plain-method", message, "define `vjp_bwd` with `def`")
        return None
    assert definition.function is not None and definition.parameters is not None
    lead = [*definition.function.params.posonly_params, *definition.function.params.params]
    if any(param.default is not None for param in lead[: definition.parameters.lead]):
        message = "a parameter before the accumulators has a default"
        return Problem(definition.anchor, "unclear-signature", message, "drop the default, then run again")
    places = Places(definition.function)
    for site in definition.backward.returns:
        if site.node in places.guarded:
            return Problem(
                site.node,
                "return-in-try",
                "this return is inside a `try`: a handler or `finally` could accumulate a second time",
                "compute the cotangents inside the `try` and return them below it, or use `--bwd retval`",
            )
        if places.line[site.node].body[-1] is not site.node:
            message = "there are statements behind this return on the same line"
            return Problem(site.node, "unclear-return", message, "delete them, then run again")
    return None
