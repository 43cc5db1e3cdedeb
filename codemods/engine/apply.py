"""Apply planned edits to a tree, all in one traversal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import libcst as cst

from codemods.edits.ops import Expand, Insert, Op, Replace


def apply_ops(module: cst.Module, ops: Iterable[Op]) -> cst.Module:
    """The module with every edit made, in the order planned. The tree that was given stays as it is."""
    changed = module.visit(_Apply(ops))
    assert isinstance(changed, cst.Module)
    return changed


class _Apply(cst.CSTTransformer):
    def __init__(self, ops: Iterable[Op]) -> None:
        super().__init__()
        self.by_node: dict[cst.CSTNode, list[Op]] = defaultdict(list)
        for op in ops:
            self.by_node[op.node].append(op)

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode | cst.FlattenSentinel[cst.CSTNode] | cst.RemovalSentinel:
        ops = self.by_node.get(original_node)
        if not ops:
            return updated_node
        node = updated_node
        for op in ops:
            if isinstance(op, Replace):
                node = op.edit(node)
        made: list[cst.CSTNode] = [node]
        for op in ops:
            if isinstance(op, Expand):
                made = [new for old in made for new in op.edit(old)]
        before, after = _inserts(ops)
        made = [*_with_space(before, made), *after]
        if len(made) == 1:
            return made[0]
        return cst.FlattenSentinel(made) if made else cst.RemoveFromParent()


def _inserts(ops: Sequence[Op]) -> tuple[list[cst.CSTNode], list[cst.CSTNode]]:
    seen: set[tuple[str, bool]] = set()
    before: list[cst.CSTNode] = []
    after: list[cst.CSTNode] = []
    for op in ops:
        if isinstance(op, Insert) and (op.key, op.after) not in seen:
            seen.add((op.key, op.after))
            (after if op.after else before).append(op.statement)
    return before, after


def _with_space(before: list[cst.CSTNode], made: list[cst.CSTNode]) -> list[cst.CSTNode]:
    """Blank lines and comments above a statement go above what is inserted before it."""
    if not before or not made or not isinstance(made[0], cst.SimpleStatementLine):
        return [*before, *made]
    leading = made[0].leading_lines
    first = before[0].with_changes(leading_lines=leading)
    return [first, *before[1:], made[0].with_changes(leading_lines=[]), *made[1:]]
