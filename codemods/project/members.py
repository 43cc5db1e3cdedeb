"""What a class body binds: its methods and assigned rules, with the nodes that bind them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import libcst as cst

from codemods.hijax.function import bound_names


class MemberKind(Enum):
    """How a name is bound in a class body."""

    METHOD = "method"
    """``def name``"""
    VALUE = "value"
    """``name = value``"""
    PAIR = "pair"
    """one of ``name, other = value``"""
    OTHER = "other"
    """any other binding: a chained or starred assignment, a loop, an import, ``with … as``"""


@dataclass(frozen=True)
class MemberDef:
    """One binding. ``node`` is the function, or the small statement; ``line`` the statement line that holds it."""

    name: str
    kind: MemberKind
    node: cst.CSTNode
    line: cst.CSTNode
    block: cst.BaseSuite
    value: cst.BaseExpression | None = None

    @property
    def function(self) -> cst.FunctionDef | None:
        return self.node if isinstance(self.node, cst.FunctionDef) else None


def collect_members(node: cst.ClassDef) -> list[MemberDef]:
    """The bindings of a class body in source order, also those inside ``if``, ``try``, ``with`` and loops."""
    members: list[MemberDef] = []
    _collect(node.body, members)
    return members


def _collect(block: cst.BaseSuite, members: list[MemberDef]) -> None:
    if isinstance(block, cst.SimpleStatementSuite):
        for small in block.body:
            _small(small, block, block, members)
        return
    for statement in block.body:
        if isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                _small(small, statement, block, members)
        elif isinstance(statement, cst.FunctionDef):
            members.append(MemberDef(statement.name.value, MemberKind.METHOD, statement, statement, block))
        elif isinstance(statement, cst.ClassDef):
            members.append(MemberDef(statement.name.value, MemberKind.OTHER, statement, statement, block))
        else:
            _header(statement, block, members)
            for inner in _blocks(statement):
                _collect(inner, members)


def _header(statement: cst.CSTNode, block: cst.BaseSuite, members: list[MemberDef]) -> None:
    """What the head of a loop or ``with`` binds."""
    targets: list[cst.BaseExpression] = []
    if isinstance(statement, cst.For):
        targets.append(statement.target)
    elif isinstance(statement, cst.With):
        targets += [item.asname.name for item in statement.items if item.asname is not None]
    names = [name for target in targets for name in bound_names(target)]
    members += [MemberDef(name, MemberKind.OTHER, statement, statement, block) for name in names]


def _blocks(statement: cst.CSTNode) -> list[cst.BaseSuite]:
    """The blocks of a compound statement, those of its ``elif``, ``except`` and ``else`` parts included."""
    found: list[cst.BaseSuite] = []
    for child in statement.children:
        if isinstance(child, cst.BaseSuite):
            found.append(child)
        elif isinstance(
            child, (cst.If, cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase)
        ):
            found += _blocks(child)
    return found


def _small(node: cst.CSTNode, line: cst.CSTNode, block: cst.BaseSuite, members: list[MemberDef]) -> None:
    if isinstance(node, cst.AnnAssign) and node.value is not None and isinstance(node.target, cst.Name):
        members.append(MemberDef(node.target.value, MemberKind.VALUE, node, line, block, node.value))
    elif isinstance(node, cst.Assign):
        single = len(node.targets) == 1
        for target in node.targets:
            if isinstance(target.target, cst.Name):
                kind = MemberKind.VALUE if single else MemberKind.OTHER
                members.append(MemberDef(target.target.value, kind, node, line, block, node.value))
            elif isinstance(target.target, (cst.Tuple, cst.List)):
                direct = [e.value.value for e in target.target.elements if isinstance(e.value, cst.Name)]
                for name in bound_names(target.target):
                    kind = MemberKind.PAIR if single and name in direct else MemberKind.OTHER
                    members.append(MemberDef(name, kind, node, line, block, node.value))
    elif isinstance(node, cst.Expr) and isinstance(node.value, cst.NamedExpr):
        members += [MemberDef(name, MemberKind.OTHER, node, line, block) for name in bound_names(node.value.target)]
    elif isinstance(node, (cst.Import, cst.ImportFrom)) and not isinstance(node.names, cst.ImportStar):
        for alias in node.names:
            bound = alias.evaluated_alias or alias.evaluated_name.partition(".")[0]
            members.append(MemberDef(bound, MemberKind.OTHER, node, line, block))
