"""What a rule is: a plan over one unit, made of findings and the edits that go with them.

A change and its finding are one call (``rewrite``), so that there is no silent change; what a rule cannot do safely is
one call too (``manual``), so that there is no silent skip.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import libcst as cst

from codemods.edits.groups import Group, build_groups
from codemods.edits.ops import Op
from codemods.hijax.releases import Releases
from codemods.project.unit import Unit
from codemods.types import BwdStyle, RuleMeta


@dataclass(frozen=True)
class Proposal:
    """One change that a rule wants to make, reported at ``anchor``."""

    meta: RuleMeta
    anchor: cst.CSTNode
    symbol: str
    message: str
    ops: tuple[Op, ...]


@dataclass(frozen=True)
class ManualProposal:
    """One item for a person."""

    meta: RuleMeta
    anchor: cst.CSTNode
    symbol: str
    reason: str
    message: str
    help: str


@dataclass
class Plan:
    """What the rules found in one unit. The proposals of one group are made together or not at all."""

    groups: list[tuple[Proposal, ...]] = field(default_factory=list)
    manual: list[ManualProposal] = field(default_factory=list)


@dataclass
class RuleContext:
    """What a rule may look at. ``bwd`` is the style that is in force, ``enabled`` the codes of the rules that run."""

    unit: Unit
    bwd: BwdStyle
    releases: Releases
    enabled: frozenset[str]

    @cached_property
    def groups(self) -> list[Group]:
        """The ``vjp_bwd`` definitions of the module that move together."""
        return build_groups(self.unit, self.bwd)


class Rule(ABC):
    """One rule over one unit."""

    META: ClassVar[RuleMeta]

    def __init__(self, context: RuleContext) -> None:
        self.context = context
        self.unit = context.unit
        self.plan = Plan()

    @abstractmethod
    def run(self) -> None:
        """Look at the module and propose changes and items."""

    def rewrite(self, anchor: cst.CSTNode, symbol: str, message: str, ops: Sequence[Op]) -> Proposal:
        """Propose one change on its own."""
        proposal = self.proposal(anchor, symbol, message, ops)
        self.together([proposal])
        return proposal

    def proposal(self, anchor: cst.CSTNode, symbol: str, message: str, ops: Sequence[Op]) -> Proposal:
        """One change, to be made ``together`` with others."""
        return Proposal(self.META, anchor, symbol, message, tuple(ops))

    def together(self, proposals: Sequence[Proposal]) -> None:
        """Propose changes that must be made all or none."""
        self.plan.groups.append(tuple(proposals))

    def manual(self, anchor: cst.CSTNode, symbol: str, reason: str, message: str, help: str) -> None:
        """Report something that a person must do."""
        self.plan.manual.append(ManualProposal(self.META, anchor, symbol, reason, message, help))
