"""Put statements into method and class bodies, in the layout that they have."""

from __future__ import annotations

import libcst as cst

from codemods.edits.build import line
from codemods.edits.ops import Replace


def first_statement(function: cst.FunctionDef, statement: cst.BaseSmallStatement, indent: str | None) -> Replace:
    """Make ``statement`` the first of a body, below its docstring; a one-line body becomes a block."""

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, cst.SimpleStatementSuite):
            newline = node.trailing_whitespace.newline
            rest = [small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for small in node.body]
            lines = [line(statement, newline=newline), *(line(small, newline=newline) for small in rest)]
            lines[-1] = lines[-1].with_changes(trailing_whitespace=node.trailing_whitespace)
            return cst.IndentedBlock(lines, header=cst.TrailingWhitespace(newline=newline), indent=indent)
        if isinstance(node, cst.IndentedBlock):
            at = 1 if _is_docstring(node.body[0]) else 0
            made = line(statement, newline=node.header.newline)
            return node.with_changes(body=[*node.body[:at], made, *node.body[at:]])
        return node

    return Replace(function.body, edit)


def _is_docstring(node: cst.BaseStatement) -> bool:
    if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
        return False
    small = node.body[0]
    return isinstance(small, cst.Expr) and isinstance(small.value, (cst.SimpleString, cst.ConcatenatedString))


def class_level(block: cst.IndentedBlock, after: cst.CSTNode, statement: cst.BaseSmallStatement) -> cst.BaseStatement:
    """A statement for a class body, set apart by a blank line where the class sets its methods apart."""
    newline = block.header.newline
    blank = [cst.EmptyLine(indent=False, newline=newline)] if _wants_blank(block, after) else []
    return line(statement, leading=blank, newline=newline)


def _wants_blank(block: cst.IndentedBlock, after: cst.CSTNode) -> bool:
    if not isinstance(after, cst.FunctionDef):
        return False
    methods = [node for node in block.body[1:] if isinstance(node, cst.FunctionDef)]
    return not methods or any(empty.comment is None for method in methods for empty in method.leading_lines)
