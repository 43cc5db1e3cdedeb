"""Rewrite files that belong together: bytes and settings in, results out. Nothing is written here.

A result that does not parse, that does not hold exactly the planned tree, or on which the rules would change something
again is not a result but an error, and then no file of the unit is changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from codemods.engine.apply import apply_ops
from codemods.engine.parsed import Parsed, compiles, parse_source, parse_text, too_deep
from codemods.engine.plan import FilePlan, plan_unit
from codemods.engine.splice import splice
from codemods.project.resolve import Resolver
from codemods.project.unit import Unit
from codemods.types import FileError, FileResult, FileStatus, Settings, SourceFile, Stage


def rewrite(source: SourceFile, settings: Settings) -> FileResult:
    """What the rules make of one file on its own. Never raises for bad input: errors are values in the result."""
    parsed = parse_source(source)
    if isinstance(parsed, FileError):
        return failed(source, parsed)
    return rewrite_unit([parsed], settings)[0]


def failed(source: SourceFile, error: FileError) -> FileResult:
    """The result of a file that is left as it was because of an error."""
    return FileResult(source.path, FileStatus.FAILED, before=source.data, after=source.data, error=error)


def rewrite_unit(
    files: Sequence[Parsed],
    settings: Settings,
    resolver: Resolver | None = None,
    writable: frozenset[str] | None = None,
) -> list[FileResult]:
    """What the rules make of files whose classes or calls hang together, in the order given.

    Args:
      resolver: knows the modules of the project; None for files on their own.
      writable: the module paths that may be changed; None for all.
    """
    try:
        return _Rewriter(files, settings, resolver, writable).results()
    except RecursionError:
        error = too_deep()
    except Exception as problem:  # a bug of ours costs these files only
        error = FileError(Stage.REWRITE, f"internal error: {type(problem).__name__}: {problem}", "please report it")
    return [failed(parsed.source, error) for parsed in files]


class _Rewriter:
    def __init__(
        self,
        files: Sequence[Parsed],
        settings: Settings,
        resolver: Resolver | None,
        writable: frozenset[str] | None,
    ) -> None:
        self.files = files
        self.settings = settings
        self.resolver = resolver
        self.writable = writable if writable is not None else frozenset(parsed.path for parsed in files)

    def _unit(self, files: Sequence[Parsed]) -> Unit:
        scanned = [parsed.scanned for parsed in files]
        if self.resolver is None:
            return Unit.of_one(scanned[0])
        resolver = self.resolver.with_modules({module.path: module.facts for module in scanned})
        return Unit(scanned, resolver, self.writable)

    def results(self) -> list[FileResult]:
        unit = self._unit(self.files)
        plans = plan_unit(unit, self.files, self.settings)
        after: dict[str, Parsed] = {}
        errors: dict[str, FileError] = {}
        for path, plan in plans.items():
            made = _changed(plan) if plan.ops else None
            if isinstance(made, FileError):
                errors[path] = made
            elif made is not None:
                after[path] = made
        if not errors and after:
            errors = self._unstable(after)
        return [self._result(unit, plans[parsed.path], after, errors) for parsed in self.files]

    def _unstable(self, after: dict[str, Parsed]) -> dict[str, FileError]:
        """The files that a second run would change again."""
        files = [after.get(parsed.path, parsed) for parsed in self.files]
        again = plan_unit(self._unit(files), files, self.settings)
        return {
            path: FileError(
                Stage.CHECK, f"internal error: a second run would change line {plan.changes[0].line} again", _REPORT
            )
            for path, plan in again.items()
            if plan.ops and plan.changes
        }

    def _result(self, unit: Unit, plan: FilePlan, after: dict[str, Parsed], errors: dict[str, FileError]) -> FileResult:
        source, path = plan.parsed.source, plan.parsed.path
        if errors and path in {*after, *errors}:
            other = next(iter(errors))
            message = f"cannot be changed without {unit.modules[other].path}, which failed"
            return failed(source, errors.get(path) or FileError(Stage.CHECK, message, "settle that file first"))
        result = FileResult(
            source.path,
            FileStatus.UNCHANGED,
            tuple(plan.changes),
            tuple(plan.manual),
            before=source.data,
            after=source.data,
            encoding=plan.parsed.decoded.encoding,
            parsed=True,
            classes=sum(view.is_primitive for view in unit.modules[path].classes),
            unused_suppressions=plan.suppressions.unused(),
        )
        if path not in after:
            return result
        new = plan.parsed.decoded.encode(after[path].text)
        return replace(result, status=FileStatus.CHANGED, after=new)


_REPORT = "please report it"


def _changed(plan: FilePlan) -> Parsed | FileError:
    """The file with its edits made, or why it may not be written."""
    parsed = plan.parsed
    changed = apply_ops(parsed.scanned.module, plan.ops)
    text = splice(parsed.lines, changed.code)
    if text is None:
        message = "the change falls on source that LibCST does not reproduce byte for byte"
        return FileError(Stage.CHECK, message, "normalise the white space of the rule, then run again")
    try:
        parsed.decoded.encode(text)
    except UnicodeEncodeError as problem:
        return FileError(Stage.CHECK, f"{parsed.decoded.encoding} cannot hold the result: {problem}", _REPORT)
    made = parse_text(parsed.source, parsed.decoded, text)
    if isinstance(made, FileError):
        return FileError(Stage.CHECK, "internal error: the result does not parse", _REPORT)
    try:
        planned = cst.parse_module(changed.code).code
    except cst.ParserSyntaxError:
        planned = ""
    # LibCST drops a lone "\r" at the end of a file, each time that it reads it.
    if made.scanned.module.code not in (planned, changed.code) or (compiles(parsed.text) and not compiles(text)):
        return FileError(Stage.CHECK, "internal error: the result is not what was planned", _REPORT)
    return made
