"""Run the rules over a unit, and take out what may not be done: what is suppressed, unsafe or outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from codemods.edits.ops import Op, loses_comment
from codemods.engine.parsed import Parsed
from codemods.engine.positions import Positions
from codemods.engine.suppress import Suppressions
from codemods.hijax.releases import Releases
from codemods.project.unit import Unit
from codemods.rules import rule_classes
from codemods.rules._base import ManualProposal, Plan, Proposal, Rule, RuleContext
from codemods.types import BwdStyle, Change, ManualItem, RuleMeta, Safety, Settings


def enabled_rules(settings: Settings) -> list[type[Rule]]:
    """The rules that a run uses: the selected ones, or those that are on by default, less the ignored ones."""

    def named(meta: RuleMeta, names: tuple[str, ...]) -> bool:
        return meta.name in names or meta.code in names

    return [
        rule
        for rule in rule_classes()
        if (named(rule.META, settings.select) if settings.select else rule.META.default)
        and not named(rule.META, settings.ignore)
    ]


def _style(settings: Settings, rules: list[type[Rule]]) -> BwdStyle:
    """The style asked for; a rule that is selected without its counterpart speaks for itself."""
    styles = {rule.META.bwd for rule in rules if rule.META.bwd is not None}
    return next(iter(styles)) if settings.select and len(styles) == 1 else settings.bwd


@dataclass
class FilePlan:
    """What is to be done to one file of a unit, and what is reported of it."""

    parsed: Parsed
    ops: list[Op] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    manual: list[ManualItem] = field(default_factory=list)

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.parsed.scanned.module, self.parsed.lines)

    @cached_property
    def suppressions(self) -> Suppressions:
        mentions = "hijax-codemods:" in self.parsed.text or "noqa" in self.parsed.text
        return Suppressions(self.positions.comments() if mentions else [])


def plan_unit(unit: Unit, files: Sequence[Parsed], settings: Settings) -> dict[str, FilePlan]:
    """The plan of each file, by the path of its module."""
    rules = enabled_rules(settings)
    context = RuleContext(
        unit, _style(settings, rules), Releases.matching(settings.jax), frozenset(rule.META.code for rule in rules)
    )
    plan = Plan()
    for rule_class in rules:
        rule = rule_class(context)
        rule.run()
        plan.groups += rule.plan.groups
        plan.manual += rule.plan.manual
    plans = {parsed.path: FilePlan(parsed) for parsed in files}
    _Filter(plans, unit, settings).run(plan)
    return plans


class _Filter:
    """Sort findings by file; a group loses all its changes with one of them."""

    def __init__(self, plans: dict[str, FilePlan], unit: Unit, settings: Settings) -> None:
        self.plans = plans
        self.unit = unit
        self.settings = settings

    def run(self, plan: Plan) -> None:
        for group in plan.groups:
            self._group(group)
        for item in plan.manual:
            self._manual(item)
        for found in self.plans.values():
            found.changes.sort(key=lambda change: (change.line, change.column, change.code))
            found.manual.sort(key=lambda item: (item.line, item.column, item.code))
            if found.suppressions.skips_file:
                found.ops, found.changes, found.manual = [], [], []

    def _file(self, node: cst.CSTNode) -> FilePlan:
        if len(self.plans) == 1:
            return next(iter(self.plans.values()))
        return next(plan for plan in self.plans.values() if plan.positions.has(node))

    def _group(self, group: tuple[Proposal, ...]) -> None:
        safeties = [_safety(proposal) for proposal in group]
        blockers = self._blockers(group, safeties)
        if not blockers:
            for proposal, safety in zip(group, safeties, strict=True):
                self._accept(proposal, safety)
            return
        first, why = next(iter(blockers.items()))
        for proposal in group:
            if blockers.get(proposal) == "is suppressed":
                continue
            if blockers.get(proposal) == "is unsafe":
                message = f"{proposal.message}; this would delete a comment"
                self._left(proposal, "unsafe", message, "move the comment, or run with --unsafe")
            else:
                message = f"cannot be migrated without `{first.symbol}`, which {why}"
                self._left(proposal, "hierarchy", message, "migrate both by hand, or let the tool change both")

    def _blockers(self, group: tuple[Proposal, ...], safeties: list[Safety]) -> dict[Proposal, str]:
        found: dict[Proposal, str] = {}
        for proposal, safety in zip(group, safeties, strict=True):
            statements = [op.node for op in proposal.ops if isinstance(op.node, (cst.Return, cst.SimpleStatementLine))]
            if any(self._is_suppressed(proposal.meta, node) for node in (proposal.anchor, *statements)):
                found[proposal] = "is suppressed"
            elif not self._may_write(proposal):
                found[proposal] = f"is in {self._file(proposal.anchor).parsed.source.path}, outside the given paths"
            elif safety is Safety.UNSAFE and not self.settings.unsafe:
                found[proposal] = "is unsafe"
        return found

    def _may_write(self, proposal: Proposal) -> bool:
        nodes = [proposal.anchor, *(op.node for op in proposal.ops)]
        return all(self._file(node).parsed.path in self.unit.writable for node in nodes)

    def _is_suppressed(self, meta: RuleMeta, anchor: cst.CSTNode) -> bool:
        found = self._file(anchor)
        suppressions = found.suppressions
        if suppressions.skips_file:
            return True
        return bool(suppressions) and suppressions.covers(meta, found.positions.lines_of(anchor))

    def _accept(self, proposal: Proposal, safety: Safety) -> None:
        for op in proposal.ops:
            self._file(op.node).ops.append(op)
        found = self._file(proposal.anchor)
        span, meta = found.positions.span(proposal.anchor), proposal.meta
        found.changes.append(
            Change(
                meta.name, meta.code, proposal.symbol, span.line, span.column, span.end_line, safety, proposal.message
            )
        )

    def _left(self, proposal: Proposal, reason: str, message: str, help_text: str) -> None:
        self._manual(ManualProposal(proposal.meta, proposal.anchor, proposal.symbol, reason, message, help_text))

    def _manual(self, item: ManualProposal) -> None:
        found = self._file(item.anchor)
        if found.parsed.path not in self.unit.writable or self._is_suppressed(item.meta, item.anchor):
            return
        span = found.positions.span(item.anchor)
        found.manual.append(
            ManualItem(
                item.meta.name,
                item.meta.code,
                item.symbol,
                span.line,
                span.column,
                item.reason,
                item.message,
                item.help,
            )
        )


def _safety(proposal: Proposal) -> Safety:
    is_unsafe = proposal.meta.safety is Safety.UNSAFE or any(loses_comment(op) for op in proposal.ops)
    return Safety.UNSAFE if is_unsafe else Safety.SAFE
