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
            smalls = [*rest[:1], statement, *rest[1:]] if _is_docstring(rest[0]) else [statement, *rest]
            lines = [line(small, newline=newline) for small in smalls]
            lines[-1] = lines[-1].with_changes(trailing_whitespace=node.trailing_whitespace)
            return cst.IndentedBlock(lines, header=cst.TrailingWhitespace(newline=newline), indent=indent)
        if isinstance(node, cst.IndentedBlock):
            made = line(statement, newline=node.header.newline)
            return node.with_changes(body=_placed(list(node.body), made))
        return node

    return Replace(function.body, edit)


def _placed(body: list[cst.BaseStatement], made: cst.SimpleStatementLine) -> list[cst.BaseStatement]:
    first = body[0]
    if not isinstance(first, cst.SimpleStatementLine) or not _is_docstring(first.body[0]):
        return [made, *body]
    if len(first.body) == 1:
        return [first, made, *body[1:]]
    # A docstring with more statements behind it on its line.
    doc = line(first.body[0].with_changes(semicolon=cst.MaybeSentinel.DEFAULT), list(first.leading_lines))
    return [doc, made, first.with_changes(body=first.body[1:], leading_lines=[]), *body[1:]]


def _is_docstring(small: cst.BaseSmallStatement) -> bool:
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
