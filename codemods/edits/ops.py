"""An edit as a value: which node of the original tree it belongs to and how it changes it.

Edits are planned on the original tree and applied later, all in one traversal. Each gets the node as the edits below
and before it left it, so that edits of several rules compose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

NodeEdit = Callable[[cst.CSTNode], cst.CSTNode]


@dataclass(frozen=True)
class Replace:
    """Give ``node`` another form. An edit that is planned twice must leave the second time as it is."""

    node: cst.CSTNode
    edit: NodeEdit


@dataclass(frozen=True)
class Expand:
    """Put ``statements`` in the place of a statement line; ``edit`` makes them from the line as it then is."""

    node: cst.CSTNode
    edit: Callable[[cst.CSTNode], list[cst.BaseStatement]]


@dataclass(frozen=True)
class Insert:
    """Put a statement before or after the statement ``node``; one with the same ``key`` at a node is put only once."""

    node: cst.CSTNode
    statement: cst.BaseStatement
    key: str
    after: bool = True


Op = Replace | Expand | Insert


def comments_in(node: cst.CSTNode) -> list[str]:
    """The text of every comment below ``node``."""
    finder = _Comments()
    node.visit(finder)
    return finder.found


class _Comments(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def visit_Comment(self, node: cst.Comment) -> None:
        self.found.append(node.value)


def loses_comment(op: Op) -> bool:
    """Whether an edit on its own would delete a comment."""
    if isinstance(op, Insert):
        return False
    made = op.edit(op.node)
    after = [c for node in (made if isinstance(made, list) else [made]) for c in comments_in(node)]
    before = comments_in(op.node)
    return any(after.count(comment) < before.count(comment) for comment in before)
