"""The calls of a run in order; read this first.

paths → ``discover`` → read → prefilter → ``rewrite`` → ``RunReport`` → shown by a report, or written by ``apply``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codemods.settings import SettingsError, suggestion
from codemods.types import FileError, FileResult, FileStatus, RunReport, Settings, SourceFile, Stage

if TYPE_CHECKING:
    from codemods.project.discover import Discovery
    from codemods.types import RuleDoc

MARKS = (b"hijax", b"vjp_bwd", b"HiPrim")
"""A file with none of these holds no primitive and uses none: it is counted, and not parsed.

So a syntax error in such a file is not noticed, and is no error of the run.
"""


def with_known_rules(settings: Settings) -> Settings:
    """The settings with rules spelled as the rules spell their names. Loads the rules only if some are named.

    Raises:
      SettingsError: a rule does not exist, or no rule is left.
    """
    if not settings.select and not settings.ignore:
        return settings
    docs = rule_docs()
    select = tuple(find_rule(name, docs).meta.name for name in settings.select)
    ignore = tuple(find_rule(name, docs).meta.name for name in settings.ignore)
    chosen = select or tuple(doc.meta.name for doc in docs if doc.meta.default)
    if not set(chosen) - set(ignore):
        raise SettingsError("--select and --ignore leave no rule to run")
    return replace(settings, select=select, ignore=ignore)


def rule_docs() -> tuple[RuleDoc, ...]:
    """What every rule says of itself, by code."""
    from codemods.rules import rule_docs as docs

    return docs()


def find_rule(name: str, docs: Sequence[RuleDoc]) -> RuleDoc:
    """The rule of that name or code, in any case. Raises ``SettingsError``, with what is known, if there is none."""
    for doc in docs:
        if name.lower() in (doc.meta.name.lower(), doc.meta.code.lower()):
            return doc
    known = [doc.meta.name for doc in docs]
    if name.upper().startswith("HJX"):
        known = [f"{doc.meta.code} {doc.meta.name}" for doc in docs]
    raise SettingsError(f"there is no rule `{name}`{suggestion(name, known)}")


def find_files(paths: Sequence[str], settings: Settings) -> Discovery:
    """The files that a run would look at."""
    from codemods.project.discover import discover

    return discover(paths, settings)


def run(paths: Sequence[str], settings: Settings) -> RunReport:
    """Look at every Python file in ``paths`` and say what would change. Writes nothing.

    Raises:
      SettingsError: an exclude pattern is malformed. What is wrong with a file is part of the report.
    """
    started = time.perf_counter()
    found = find_files(paths, settings)
    tally = _Tally(settings, list(found.failed))
    tally.add_all(_read(path) for path in found.files)
    return replace(tally.report(started), empty_folders=found.empty_folders)


def run_source(source: SourceFile, settings: Settings) -> RunReport:
    """The same for bytes that were read elsewhere, such as standard input."""
    from codemods.project.ignored import Excluder

    started = time.perf_counter()
    tally = _Tally(settings, [])
    if not (settings.force_exclude and Excluder(settings.exclude, settings.exclude_root).covers_shown(source.path)):
        tally.add_all([source])
    return tally.report(started)


def apply(report: RunReport) -> RunReport:
    """Write what ``report`` shows. A file that cannot be written counts as failed and keeps its old bytes."""
    from codemods.engine.write import write_result

    files = []
    for result in report.files:
        error = write_result(result) if result.status is FileStatus.CHANGED else None
        if error is not None:
            result = replace(result, status=FileStatus.FAILED, error=error, changes=(), after=result.before)
        files.append(result)
    return replace(report, files=tuple(files))


def _read(path: str) -> SourceFile | FileResult:
    try:
        with open(path, "rb") as stream:
            return SourceFile(path, stream.read())
    except OSError as problem:
        message = f"cannot be read: {problem.strerror or problem}"
        error = FileError(Stage.READ, message, "check its permissions, or leave it out with --exclude")
        return FileResult(path, FileStatus.FAILED, error=error)


def _rewrite(source: SourceFile, settings: Settings) -> FileResult:
    from codemods.engine.rewrite import rewrite  # imports libcst, which is slow: only where a file has to be parsed

    return rewrite(source, settings)


@dataclass
class _Tally:
    """Counts of all files, and the results of those with something to say."""

    settings: Settings
    results: list[FileResult]
    seen: int = 0
    parsed: int = 0
    mentioning: int = 0
    classes: int = 0

    def add_all(self, sources: Iterable[SourceFile | FileResult]) -> None:
        for source in self._candidates(sources):
            self._add(_rewrite(source, self.settings))

    def _candidates(self, sources: Iterable[SourceFile | FileResult]) -> Iterator[SourceFile]:
        for source in sources:
            self.seen += 1
            if isinstance(source, FileResult):
                self.results.append(source)
                continue
            self.mentioning += b"hijax" in source.data
            if any(mark in source.data for mark in MARKS):
                yield source

    def _add(self, result: FileResult) -> None:
        self.parsed += result.parsed
        self.classes += result.classes
        if result.changes or result.manual or result.error or result.unused_suppressions:
            self.results.append(result)

    def report(self, started: float) -> RunReport:
        files = tuple(sorted(self.results, key=lambda result: result.path))
        seconds = time.perf_counter() - started
        return RunReport(self.settings, files, self.seen, self.parsed, self.mentioning, self.classes, seconds)
