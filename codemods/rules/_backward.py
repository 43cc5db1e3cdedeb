"""What the two rules that migrate a value-returning ``vjp_bwd`` share: they differ in the style only."""

from __future__ import annotations

from typing import ClassVar

import libcst as cst

from codemods.edits.callers import call_of, is_returned, receiver, use_symbol
from codemods.edits.definitions import Definition
from codemods.edits.groups import Group, unknown_definitions
from codemods.edits.migrate import Migration, as_accum, as_retval, call_edit
from codemods.edits.problems import Problem
from codemods.hijax.backward import BwdForm
from codemods.project.facts import RefKind
from codemods.project.scan import RuleUse
from codemods.rules._base import Proposal, Rule
from codemods.types import BwdStyle

# Reasons that a rule of their own reports.
_REPORTED_BY = {"dict-is-logs": "HJX110", "both-bwd-rules": "HJX111"}


class BackwardRule(Rule):
    """Migrate the groups of one style; report the rest if the style is the one that was asked for."""

    STYLE: ClassVar[BwdStyle]

    @property
    def is_primary(self) -> bool:
        return self.context.bwd is self.STYLE

    def run(self) -> None:
        moved = False
        for group in self.context.groups:
            if group.style is None or group.problems:
                self._report(group)
            elif group.style is self.STYLE:
                moved = self._migrate(group) or moved
            elif not self._other_is_enabled():
                self._report_style(group)
        if moved:
            self._report_receivers()
        if self.is_primary:
            self._report_outside()
            for definition, base in unknown_definitions(self.unit):
                self._report_unknown(definition, base)

    def _other_is_enabled(self) -> bool:
        return {"HJX101", "HJX102"} <= self.context.enabled

    def _migrate(self, group: Group) -> bool:
        made = {d: self._migration(d) for d in group.definitions if self._moves(d)}
        if any(m.missing for m in made.values()):
            for definition in made:
                self.manual(
                    definition.anchor,
                    definition.symbol,
                    "no-import",
                    "the migrated rule needs `jax`, which cannot be imported beside the import of hijax",
                    "import `jax` in this module, then run again",
                )
            return False
        proposals = [
            self.proposal(d.anchor, d.symbol, self._message(d, group), migration.ops)
            for d, migration in made.items()
            if migration.ops
        ]
        self.together([*proposals, *self._calls(group, made)])
        return True

    def _moves(self, definition: Definition) -> bool:
        return definition.form in (BwdForm.COTANGENTS, BwdForm.STUB)

    def _migration(self, definition: Definition) -> Migration:
        migrate = as_retval if self.STYLE is BwdStyle.RETVAL else as_accum
        return migrate(definition, self.context.releases)

    def _message(self, definition: Definition, group: Group) -> str:
        if definition.form is BwdForm.STUB:
            return "stub renamed to `vjp_bwd_retval` together with the rules below it"
        if self.STYLE is BwdStyle.RETVAL:
            return "`vjp_bwd` returns cotangents: renamed to `vjp_bwd_retval`"
        note = f" ({group.note})" if group.note else ""
        return f"`vjp_bwd` returns cotangents: they go to its accumulators now{note}"

    def _calls(self, group: Group, made: dict[Definition, Migration]) -> list[Proposal]:
        proposals: list[Proposal] = []
        for use in group.calls:
            if self.STYLE is BwdStyle.RETVAL:
                message, accums = "call follows the rule to `vjp_bwd_retval`", None
            else:
                caller = self._caller(group, use, made)
                if caller is None:
                    continue
                message, accums = "call hands its accumulators on", (caller.accumulators, caller.star)
            symbol = use_symbol(self.unit, use)
            proposals.append(self.proposal(use.node, symbol, message, [call_edit(self.unit, group, use, accums)]))
        return proposals

    def _caller(self, group: Group, use: RuleUse, made: dict[Definition, Migration]) -> Migration | None:
        call = call_of(self.unit, use)
        if call is None or not is_returned(group.definitions, call):
            return None
        return next((migration for d, migration in made.items() if d.function is use.function), None)

    # Reports -----------------------------------------------------------------------------------------------------

    def _report(self, group: Group) -> None:
        if not self.is_primary:
            return
        for definition, problem in group.problems:
            if _REPORTED_BY.get(problem.reason) not in self.context.enabled:
                symbol = problem.symbol or (definition.symbol if definition is not None else "vjp_bwd")
                self.manual(problem.node, symbol, problem.reason, problem.message, problem.help)
        blocked = {d for d, _ in group.problems}
        for definition in group.definitions:
            if definition not in blocked and definition.form is BwdForm.COTANGENTS:
                self._report_blocked(definition, *group.problems[0])

    def _report_blocked(self, definition: Definition, first: Definition | None, why: Problem) -> None:
        cause = why.symbol or (first.symbol if first is not None else "vjp_bwd")
        self.manual(
            definition.anchor,
            definition.symbol,
            "hierarchy",
            f"returns cotangents, but cannot be migrated without `{cause}`, which cannot be ({why.reason})",
            f"settle `{cause}` first, then run again",
        )

    def _report_style(self, group: Group) -> None:
        if self.is_primary:
            for definition in group.definitions:
                if definition.form is BwdForm.COTANGENTS:
                    self.manual(
                        definition.anchor,
                        definition.symbol,
                        "needs-accumulators",
                        f"returns cotangents, but only accumulators will do: {group.note}",
                        "select `vjp-bwd-accum` as well",
                    )

    def _report_unknown(self, definition: Definition, base: str) -> None:
        self.manual(
            definition.anchor,
            definition.symbol,
            "unknown-base",
            f"`vjp_bwd` returns a value, and the base `{base}` cannot be found: this may be a primitive class",
            f"if `{base}` leads to jax's HiPrim, migrate this rule by hand; else ignore it here",
        )

    def _report_receivers(self) -> None:
        for use in self.unit.uses:
            kinds = {ref.kind for ref in use.receiver}
            is_open = kinds & {RefKind.UNKNOWN, RefKind.INSTANCE, RefKind.MADE, RefKind.STARRED}
            is_settled = receiver(self.unit, use) is not None or kinds == {RefKind.SUPER}
            if not is_settled and is_open:
                self._report_receiver(use.node, use_symbol(self.unit, use))
        for module in self.unit.modules.values():
            for call in module.scanned.dynamic:
                self._report_receiver(call, "getattr")

    def _report_receiver(self, node: cst.CSTNode, symbol: str) -> None:
        self.manual(
            node,
            symbol,
            "unknown-receiver",
            "uses `vjp_bwd` of a value that cannot be followed; rules that it may mean change",
            "if it is one of the migrated classes, change this as well",
        )

    def _report_outside(self) -> None:
        """A rule that is set from outside the class, which has none of its own."""
        for view in self.unit.classes:
            nodes = [node for name, node in view.scanned.outside if name == "vjp_bwd"]
            if view.is_primitive and nodes and not view.own("vjp_bwd"):
                self.manual(
                    nodes[0],
                    f"{view.qualname}.vjp_bwd",
                    "not-a-plain-method",
                    "`vjp_bwd` is assigned from outside the class",
                    "define it with `def` in the class body, then run again",
                )
