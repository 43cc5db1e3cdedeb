"""Hierarchies of ``vjp_bwd`` definitions that can only move together, and how each of them moves.

Definitions belong together when some primitive class inherits from both: a rule and the stub that it overrides, a
rule and the override that calls it. A migrated class must not find an unmigrated ``vjp_bwd`` along its bases: from
jax 0.11.2 ``vjp_bwd`` wins over ``vjp_bwd_retval``, and up to 0.11.1 having both is an error.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import libcst as cst

from codemods.edits.callers import call_problem, called_classes, use_symbol
from codemods.edits.definitions import Definition, read_definitions
from codemods.edits.places import accum_problem
from codemods.edits.problems import Problem
from codemods.hijax.backward import BwdForm
from codemods.hijax.values import ValueKind
from codemods.project.facts import ClassKey, Verdict
from codemods.project.scan import RuleUse
from codemods.project.unit import ClassView, Unit
from codemods.types import BwdStyle


@dataclass
class Group:
    """Definitions that move together.

    ``style`` is None where nothing needs to move. ``problems`` stand in the way; ``calls`` are the uses of the rule
    whose receiver is certainly a class of the group; ``note`` says why another style was taken than the one asked for.
    """

    definitions: list[Definition]
    style: BwdStyle | None = None
    note: str = ""
    problems: list[tuple[Definition | None, Problem]] = field(default_factory=list)
    calls: list[RuleUse] = field(default_factory=list)


def build_groups(unit: Unit, wanted: BwdStyle) -> list[Group]:
    """The groups of a module that have a primitive class, with the style in which each can move."""
    definers = [view for view in unit.classes if view.own("vjp_bwd")]
    parent = {view.key: view.key for view in definers}

    def top(key: ClassKey) -> ClassKey:
        while parent[key] != key:
            key = parent[key]
        return key

    for view in unit.classes:
        if view.is_primitive:
            related = [v.key for v in view.lineage if v.key in parent]
            for other in related[1:]:
                parent[top(other)] = top(related[0])
    found: dict[ClassKey, list[ClassView]] = {}
    for view in definers:
        found.setdefault(top(view.key), []).append(view)
    groups = [Group([d for view in views for d in read_definitions(view)]) for views in found.values()]
    groups = [group for group in groups if _concerns_primitives(group)]
    for group in groups:
        _settle_rule_calls(unit, group)
        _decide(unit, group, wanted)
    return groups


def unknown_definitions(unit: Unit) -> list[tuple[Definition, str]]:
    """Value-returning rules of classes of which nobody can tell whether they are primitives, with the base at fault."""
    found: list[tuple[Definition, str]] = []
    for view in unit.classes:
        heirs = [view, *view.descendants]
        if not view.own("vjp_bwd") or any(heir.is_primitive for heir in heirs):
            continue
        unknown = next((h for h in heirs if h.resolved.verdict is Verdict.UNKNOWN), None)
        if unknown is not None:
            base = unknown.unknown_bases[0]
            found += [(d, base) for d in read_definitions(view) if d.returns_value]
    return found


def _concerns_primitives(group: Group) -> bool:
    return any(c.is_primitive for d in group.definitions for c in (d.view, *d.view.descendants))


def _decide(unit: Unit, group: Group, wanted: BwdStyle) -> None:
    group.problems = [(d, d.problem) for d in group.definitions if d.problem is not None]
    if not any(d.form is BwdForm.COTANGENTS for d in group.definitions):
        return
    group.style, group.note = _style(group, wanted)
    group.calls = _calls(unit, group)
    for definition in group.definitions:
        if definition.problem is not None:
            continue
        problem = _shared_outside(definition) or _other_rules(definition) or _named_in_class(definition)
        if problem is None and group.style is BwdStyle.RETVAL:
            problem = _unknown_mixin(definition)
        if problem is None and group.style is BwdStyle.ACCUM and definition.form is BwdForm.COTANGENTS:
            problem = accum_problem(definition)
        if problem is not None:
            group.problems.append((definition, problem))
    for use in group.calls:
        problem = call_problem(unit, group.definitions, group.style, use)
        if problem is not None:
            group.problems.append((None, replace(problem, symbol=use_symbol(unit, use))))


def _settle_rule_calls(unit: Unit, group: Group) -> None:
    """A rule that returns what another rule of the group returns accumulates where that one does."""
    for _ in group.definitions:
        forms = {d.view.key: d.form for d in group.definitions}
        settled = [_settled(unit, d, forms) for d in group.definitions]
        if settled == group.definitions:
            return
        group.definitions = settled


def _settled(unit: Unit, definition: Definition, forms: dict[ClassKey, BwdForm]) -> Definition:
    uses = [use for use in unit.uses if use.function is definition.function]
    called = {key for use in uses for key in called_classes(unit, use)} - {definition.view.key}
    targets = {forms[key] for key in called if key in forms} - {BwdForm.STUB}
    fills = {BwdForm.ACCUMULATES, BwdForm.LOGS, BwdForm.NOTHING}
    valued = [site for site in definition.backward.returns if site.value.kind is not ValueKind.NONE]
    if not targets & fills:
        return definition
    if definition.form is BwdForm.NOTHING and targets <= fills:
        return replace(definition, backward=replace(definition.backward, form=BwdForm.ACCUMULATES))
    if definition.form is not BwdForm.COTANGENTS:
        return definition
    calls = [site for site in valued if site.value.kind is ValueKind.RULE_CALL]
    if len(calls) == len(valued) and targets <= fills:
        return replace(definition, backward=replace(definition.backward, form=BwdForm.ACCUMULATES))
    message = "`vjp_bwd` returns cotangents and calls another rule of its hierarchy, which accumulates"
    problem = Problem(valued[0].node, "unclear-return", message, "make the rules of this hierarchy alike")
    return replace(definition, problem=problem, backward=replace(definition.backward, form=BwdForm.UNCLEAR))


def _style(group: Group, wanted: BwdStyle) -> tuple[BwdStyle, str]:
    if wanted is BwdStyle.ACCUM:
        return wanted, ""
    for definition in group.definitions:
        if definition.needs_accumulators:
            reads = definition.parameters is not None and definition.parameters.lead == 3
            why = "the body reads its accumulators" if reads else "`vjp_fwd` returns structured residuals"
            return BwdStyle.ACCUM, f"{why}, which `vjp_bwd_retval` cannot"
    for definition in group.definitions:
        if definition.form in (BwdForm.ACCUMULATES, BwdForm.LOGS, BwdForm.NOTHING):
            why = f"`{definition.symbol}` in the same hierarchy is an accumulating rule"
            return BwdStyle.ACCUM, f"{why}; a `vjp_bwd` wins over a `vjp_bwd_retval`"
    return wanted, ""


def _shared_outside(definition: Definition) -> Problem | None:
    """A mixin's rule that classes use which are not certainly primitives."""
    inherited_by_primitives = {v.key for user in definition.users for v in user.lineage}
    for heir in definition.view.descendants:
        if not heir.is_primitive and heir.key not in inherited_by_primitives:
            return Problem(
                definition.anchor,
                "used-elsewhere",
                f"`{heir.qualname}` also inherits this rule and is not certainly a primitive class",
                "give the primitive classes a rule of their own, then run again",
            )
    return None


def _other_rules(definition: Definition) -> Problem | None:
    for user in definition.users:
        for name in ("vjp_bwd_retval", "vjp_bwd_retval_logs"):
            found = user.find(name)
            if found is not None:
                return Problem(
                    definition.anchor,
                    "both-bwd-rules",
                    f"`{user.qualname}` has both `vjp_bwd` and `{name}`",
                    "delete the rule that is not wanted, then run again",
                )
    return None


def _unknown_mixin(definition: Definition) -> Problem | None:
    """Renamed, the rule no longer hides a ``vjp_bwd`` that a base which cannot be found may have."""
    for user in definition.users:
        if user.unknown_bases:
            return Problem(
                definition.anchor,
                "unknown-base",
                f"the base `{user.unknown_bases[0]}` cannot be found; its `vjp_bwd` would win after a rename",
                "make sure that it has none and migrate by hand, or use `--bwd accum`",
            )
    return None


def _named_in_class(definition: Definition) -> Problem | None:
    """``other = vjp_bwd`` in the class body: another name for the rule."""
    finder = _BodyNames()
    definition.view.node.body.visit(finder)
    if finder.reads:
        message = "the class body names this rule in another place"
        return Problem(finder.reads[0], "caller", message, "settle that use first, then run again")
    return None


class _BodyNames(cst.CSTVisitor):
    """Where the statements of a class body read the name ``vjp_bwd``."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[cst.Name] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        for decorator in node.decorators:
            decorator.visit(self)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if node.value is not None:
            node.value.visit(self)
        return False

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        if node.value == "vjp_bwd":
            self.reads.append(node)


def _calls(unit: Unit, group: Group) -> list[RuleUse]:
    keys = {d.view.key for d in group.definitions}
    return [use for use in unit.uses if keys & set(called_classes(unit, use))]
