"""Rewrite one file: bytes and settings in, a result out. Nothing is read or written here.

A result that does not parse, that does not hold exactly the planned tree, or on which the rules would change something
again is not a result but an error.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

import libcst as cst

from codemods.edits.ops import Op, loses_comment
from codemods.engine.apply import apply_ops
from codemods.engine.positions import Positions, Span
from codemods.engine.source import Decoded, decode
from codemods.engine.splice import LineMap, splice
from codemods.engine.suppress import Suppressions
from codemods.hijax.releases import Releases
from codemods.project.lookup import ModuleIndex
from codemods.rules import rule_classes
from codemods.rules._base import ManualProposal, Plan, Proposal, Rule, RuleContext
from codemods.types import (
    BwdStyle,
    Change,
    FileError,
    FileResult,
    FileStatus,
    ManualItem,
    RuleMeta,
    Safety,
    Settings,
    SourceFile,
    Stage,
)


def rewrite(source: SourceFile, settings: Settings) -> FileResult:
    """What the rules make of one file. Never raises for bad input: errors are values in the result."""
    result = FileResult(source.path, FileStatus.UNCHANGED, before=source.data, after=source.data)
    result = replace(result, mentions_hijax=b"hijax" in source.data)
    decoded = decode(source.data)
    if isinstance(decoded, FileError):
        return replace(result, status=FileStatus.FAILED, error=decoded)
    result = replace(result, encoding=decoded.encoding)
    try:
        return _rewrite(result, decoded, settings)
    except RecursionError:
        error = FileError(
            Stage.REWRITE, "the source is nested too deeply", "split the longest expression or elif chain"
        )
    except Exception as problem:  # a bug of ours costs this file only
        error = FileError(Stage.REWRITE, f"internal error: {type(problem).__name__}: {problem}", "please report it")
    return replace(result, status=FileStatus.FAILED, error=error)


def _rewrite(result: FileResult, decoded: Decoded, settings: Settings) -> FileResult:
    module = _parse(decoded.text)
    if isinstance(module, FileError):
        return replace(result, status=FileStatus.FAILED, error=module)
    planned = _plan(module, decoded.text, settings)
    result = replace(
        result,
        parsed=True,
        classes=planned.classes,
        changes=planned.changes,
        manual=planned.manual,
        unused_suppressions=planned.suppressions.unused(),
    )
    if not planned.ops:
        return result
    changed = apply_ops(module, planned.ops)
    text = splice(planned.lines, changed.code)
    error = _check(text, changed, settings)
    if error is None and text is not None:
        try:
            after = decoded.encode(text)
        except UnicodeEncodeError as problem:
            error = FileError(Stage.CHECK, f"{decoded.encoding} cannot hold the result: {problem}")
    if error is not None:
        return replace(result, status=FileStatus.FAILED, error=error, changes=())
    return replace(result, status=FileStatus.CHANGED, after=after)


def _parse(text: str) -> cst.Module | FileError:
    try:
        return cst.parse_module(text)
    except cst.ParserSyntaxError as problem:
        return _syntax_error(problem, text)


def _syntax_error(problem: cst.ParserSyntaxError, text: str) -> FileError:
    # The message carries the position; the exception's own line is sometimes one off.
    message = problem.message.strip()
    found = re.search(r"error at (\d+):(\d+): (.*)", message, re.DOTALL)
    line, column = (int(found[1]), int(found[2])) if found else (max(problem.raw_line, 1), 1)
    if column == 0:  # just behind the line break
        line, column = line - 1, 1
    reason = found[3] if found else message
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return FileError(Stage.PARSE, f"syntax error: {reason}", "fix it, then run again", line, column)
    return FileError(
        Stage.PARSE,
        f"LibCST cannot parse this, although Python can: {reason}",
        "write this line in another way, then run again",
        line,
        column,
    )


@dataclass(frozen=True)
class _Planned:
    ops: tuple[Op, ...]
    changes: tuple[Change, ...]
    manual: tuple[ManualItem, ...]
    classes: int
    suppressions: Suppressions
    lines: LineMap


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


def _plan(module: cst.Module, text: str, settings: Settings) -> _Planned:
    lines = LineMap(text, module.code)
    index = ModuleIndex(module)
    rules = enabled_rules(settings)
    context = RuleContext(
        index, _style(settings, rules), Releases.matching(settings.jax), frozenset(rule.META.code for rule in rules)
    )
    plan = Plan()
    for rule_class in rules:
        rule = rule_class(context)
        rule.run()
        plan.groups += rule.plan.groups
        plan.manual += rule.plan.manual
    classes = sum(view.is_primitive for view in index.classes)
    if not plan.groups and not plan.manual and "hijax-codemods:" not in text and "noqa" not in text:
        return _Planned((), (), (), classes, Suppressions([]), lines)
    return _Filter(Positions(module, lines), settings).filtered(plan, classes, lines)


class _Filter:
    """Take out what is suppressed or unsafe; a group loses all its changes with one of them."""

    def __init__(self, positions: Positions, settings: Settings) -> None:
        self.positions = positions
        self.settings = settings
        self.suppressions = Suppressions(positions.comments())
        self.manual: list[ManualItem] = []

    def filtered(self, plan: Plan, classes: int, lines: LineMap) -> _Planned:
        if self.suppressions.skips_file:
            return _Planned((), (), (), 0, Suppressions([]), lines)
        ops: list[Op] = []
        changes: list[Change] = []
        for group in plan.groups:
            safeties = [self._safety(proposal) for proposal in group]
            if self._may_move(group, safeties):
                ops += [op for proposal in group for op in proposal.ops]
                changes += [self._change(p, s) for p, s in zip(group, safeties, strict=True)]
        for item in plan.manual:
            if not self._is_suppressed(item.meta, item.anchor):
                self.manual.append(self._item(item))
        changes.sort(key=lambda change: (change.line, change.column, change.code))
        self.manual.sort(key=lambda item: (item.line, item.column, item.code))
        return _Planned(tuple(ops), tuple(changes), tuple(self.manual), classes, self.suppressions, lines)

    def _is_suppressed(self, meta: RuleMeta, anchor: cst.CSTNode) -> bool:
        return self.suppressions.covers(meta, self.positions.lines_of(anchor))

    @staticmethod
    def _safety(proposal: Proposal) -> Safety:
        is_unsafe = proposal.meta.safety is Safety.UNSAFE or any(loses_comment(op) for op in proposal.ops)
        return Safety.UNSAFE if is_unsafe else Safety.SAFE

    def _may_move(self, group: tuple[Proposal, ...], safeties: list[Safety]) -> bool:
        suppressed = [proposal for proposal in group if self._is_suppressed(proposal.meta, proposal.anchor)]
        unsafe = [] if self.settings.unsafe else [p for p, s in zip(group, safeties, strict=True) if s is Safety.UNSAFE]
        if not suppressed and not unsafe:
            return True
        cause = (suppressed or unsafe)[0]
        for proposal in group:
            if proposal in suppressed:
                continue
            if proposal in unsafe:
                message = f"{proposal.message}; this would delete a comment"
                help_text = "move the comment, or run with --unsafe"
                self.manual.append(self._item(_manual(proposal, "unsafe", message, help_text)))
            else:
                why = "is suppressed" if cause in suppressed else "is unsafe"
                message = f"cannot be migrated without `{cause.symbol}`, which {why}"
                help_text = "migrate both by hand, or let the tool change both"
                self.manual.append(self._item(_manual(proposal, "hierarchy", message, help_text)))
        return False

    def _change(self, proposal: Proposal, safety: Safety) -> Change:
        span = self.positions.span(proposal.anchor)
        meta = proposal.meta
        return Change(
            meta.name, meta.code, proposal.symbol, span.line, span.column, span.end_line, safety, proposal.message
        )

    def _item(self, item: ManualProposal) -> ManualItem:
        span: Span = self.positions.span(item.anchor)
        return ManualItem(
            item.meta.name, item.meta.code, item.symbol, span.line, span.column, item.reason, item.message, item.help
        )


def _manual(proposal: Proposal, reason: str, message: str, help_text: str) -> ManualProposal:
    return ManualProposal(proposal.meta, proposal.anchor, proposal.symbol, reason, message, help_text)


def _check(text: str | None, changed: cst.Module, settings: Settings) -> FileError | None:
    """Why a result may not be written: it cannot be carried over, does not parse, or is not stable."""
    if text is None:
        message = "the change falls on source that LibCST does not reproduce byte for byte"
        return FileError(Stage.CHECK, message, "normalise the white space of the rule, then run again")
    module = _parse(text)
    planned = _parse(changed.code)
    if isinstance(module, FileError) or isinstance(planned, FileError):
        return FileError(Stage.CHECK, "internal error: the result does not parse", "please report it")
    if module.code != planned.code:
        return FileError(Stage.CHECK, "internal error: the result is not what was planned", "please report it")
    again = _plan(module, text, settings)
    if again.ops:
        message = f"internal error: a second run would change line {again.changes[0].line} again"
        return FileError(Stage.CHECK, message, "please report it")
    return None
