"""The calls of a run in order; read this first.

paths → ``discover`` → read → prefilter → ``rewrite`` → ``RunReport`` → shown by a report, or written by ``apply``.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from codemods.settings import SettingsError, suggestion
from codemods.types import (
    ClassReport,
    FileError,
    FileResult,
    FileStatus,
    FoundClass,
    RunReport,
    Settings,
    SourceFile,
    Stage,
)

if TYPE_CHECKING:
    from codemods.engine.units import Project
    from codemods.project.discover import Discovery
    from codemods.types import RuleDoc


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

    Bases and callers outside ``paths`` but inside the project are read as well.

    Raises:
      SettingsError: an exclude pattern is malformed, or ``--python`` is no Python. What is wrong with a file is part of
        the report.
    """
    tally = _Tally(settings)
    found = find_files(paths, settings)
    tally.results += found.failed
    readable = dict(tally.readable(found.files))
    others = _other_files(paths, settings, readable)
    if tally.matters or any(_matters(_bytes(path)) for path in others):
        tally.add_all(_project_results(readable, others, settings))
    return replace(tally.report(), empty_folders=found.empty_folders)


def classes(paths: Sequence[str], settings: Settings) -> ClassReport:
    """The primitive classes in ``paths``, and those that may be some. Bases are followed as in ``run``.

    Raises:
      SettingsError: as ``run``.
    """
    tally = _Tally(settings)
    found = find_files(paths, settings)
    tally.results += found.failed
    readable = dict(tally.readable(found.files))
    others = _other_files(paths, settings, readable)
    listed: tuple[FoundClass, ...] = ()
    if tally.matters or any(_matters(_bytes(path)) for path in others):
        from codemods.engine.classes import find_classes

        project = project_of(readable, others, settings)
        listed = find_classes(project)
        tally.results += _failures(project)
        tally.parsed = len(project.all_facts())
    tally.classes = sum(one.is_primitive for one in listed)
    return ClassReport(replace(tally.report(), empty_folders=found.empty_folders), listed)


def run_source(source: SourceFile, settings: Settings) -> RunReport:
    """The same for bytes that were read elsewhere, such as standard input; bases in other files are unknown then."""
    from codemods.project.ignored import Excluder

    tally = _Tally(settings)
    if settings.force_exclude and Excluder(settings.exclude, settings.exclude_root).covers_shown(source.path):
        return tally.report()
    tally.count(source.data)
    if tally.matters:
        from codemods.engine.rewrite import rewrite

        tally.add_all([rewrite(source, settings)])
    return tally.report()


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


def project_of(readable: Mapping[str, str], others: Sequence[str], settings: Settings) -> Project:
    """The project of a run. Imports libcst, which is slow: only where a file has to be parsed."""
    from codemods.engine.units import Project
    from codemods.project.root import installed_folders

    try:
        installed = installed_folders(settings.python) if settings.python else ()
    except (OSError, ValueError) as problem:
        raise SettingsError(f"--python: {settings.python}: {problem}") from None
    return Project(readable, others, _bytes, installed)


def _project_results(readable: Mapping[str, str], others: Sequence[str], settings: Settings) -> Iterator[FileResult]:
    from codemods.engine.executors import rewrite_units

    project = project_of(readable, others, settings)
    yield from rewrite_units(project, settings)
    yield from _failures(project)


def _failures(project: Project) -> list[FileResult]:
    """The files of the run that could not be parsed."""
    from codemods.engine.rewrite import failed

    return [
        failed(SourceFile(project.shown[path], _bytes(path) or b""), error)
        for path, error in project.failures().items()
        if path in project.shown
    ]


def _other_files(paths: Sequence[str], settings: Settings, readable: Mapping[str, str]) -> list[str]:
    """The module paths of the project's files that are not part of the run."""
    from codemods.engine.paths import module_path
    from codemods.project.root import project_root

    root = project_root(paths, settings.root)
    found = find_files([root], replace(settings, force_exclude=False))
    every = [module_path(path) for path in found.files]
    return [path for path in every if path not in readable]


def _matters(data: bytes | None) -> bool:
    from codemods.engine.paths import MARKS

    return data is not None and any(mark in data for mark in MARKS)


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None


@dataclass
class _Tally:
    """Counts of all files, and the results of those with something to say."""

    settings: Settings
    results: list[FileResult] = field(default_factory=list)
    seen: int = 0
    parsed: int = 0
    mentioning: int = 0
    classes: int = 0
    matters: bool = False
    started: float = field(default_factory=time.perf_counter)

    def readable(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The files that can be read, each by its module path; the others become results."""
        from codemods.engine.paths import module_path

        for path in paths:
            try:
                with open(path, "rb") as stream:
                    self.count(stream.read())
            except OSError as problem:
                self.seen += 1
                message = f"cannot be read: {problem.strerror or problem}"
                error = FileError(Stage.READ, message, "check its permissions, or leave it out with --exclude")
                self.results.append(FileResult(path, FileStatus.FAILED, error=error))
                continue
            yield module_path(path), path

    def count(self, data: bytes) -> None:
        """Count a file that was looked at."""
        self.seen += 1
        self.mentioning += b"hijax" in data
        self.matters = self.matters or _matters(data)

    def add_all(self, results: Iterable[FileResult]) -> None:
        """Take over results; only those with something to say are kept."""
        for result in results:
            self.parsed += result.parsed
            self.classes += result.classes
            if result.changes or result.manual or result.error or result.unused_suppressions:
                self.results.append(result)

    def report(self) -> RunReport:
        files = tuple(sorted(self.results, key=lambda result: result.path))
        seconds = time.perf_counter() - self.started
        return RunReport(self.settings, files, self.seen, self.parsed, self.mentioning, self.classes, seconds)
