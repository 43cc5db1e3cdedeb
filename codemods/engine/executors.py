"""Rewrite units one after the other, or in several processes where there is enough work to pay for them.

A worker gets bytes and facts, never trees: it parses its units itself. The answers are the same for any number of jobs.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from codemods.engine.parsed import parse_source
from codemods.engine.rewrite import failed, rewrite_unit
from codemods.engine.units import Project, UnitFiles
from codemods.project.facts import ModuleFacts
from codemods.project.modules import ModuleTable
from codemods.project.resolve import Resolver
from codemods.types import FileError, FileResult, Settings, SourceFile

WORTH_PROCESSES = 1_000_000
"""Bytes of source below which starting processes costs more than it saves."""


@dataclass(frozen=True)
class Known:
    """What a worker knows of the project: every path, and the facts of the modules that were parsed."""

    paths: tuple[str, ...]
    installed: tuple[str, ...]
    facts: Mapping[str, ModuleFacts]

    def resolver(self) -> Resolver:
        """A resolver that asks for nothing more."""
        return Resolver(ModuleTable(self.paths, self.installed), self.facts.get)


@dataclass(frozen=True)
class Task:
    """The sources of a unit, and the module paths of those that may be changed."""

    sources: tuple[SourceFile, ...]
    writable: frozenset[str]


def rewrite_units(project: Project, settings: Settings) -> Iterator[FileResult]:
    """The results of every file that may be changed, unit by unit."""
    units = project.units()
    jobs = settings.jobs or os.cpu_count() or 1
    size = sum(len(parsed.source.data) for unit in units for parsed in unit.files)
    if jobs > 1 and len(units) > 1 and (settings.jobs > 1 or size >= WORTH_PROCESSES):
        yield from _in_processes(project, units, settings, min(jobs, len(units)))
        return
    resolver = known(project).resolver()
    for unit in units:
        yield from _writable(unit, rewrite_unit(unit.files, settings, resolver, unit.writable))


def known(project: Project) -> Known:
    """What is known once all units were found."""
    return Known(tuple(project.paths), tuple(project.installed), project.all_facts())


def _writable(unit: UnitFiles, results: Sequence[FileResult]) -> list[FileResult]:
    pairs = zip(unit.files, results, strict=True)
    return [result for parsed, result in pairs if parsed.path in unit.writable]


def _in_processes(project: Project, units: Sequence[UnitFiles], settings: Settings, jobs: int) -> Iterator[FileResult]:
    tasks = [Task(tuple(parsed.source for parsed in unit.files), unit.writable) for unit in units]
    # Spawned, not forked: the caller may run threads.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _start, (known(project), settings)) as pool:
        for unit, results in zip(units, pool.map(_work, tasks, chunksize=1), strict=True):
            yield from _writable(unit, results)


class _Worker:
    """What the process was started with."""

    resolver: Resolver
    settings: Settings


def _start(known_now: Known, settings: Settings) -> None:
    _Worker.resolver = known_now.resolver()
    _Worker.settings = settings


def _work(task: Task) -> list[FileResult]:
    files = [(source, parse_source(source)) for source in task.sources]
    parsed = [one for _, one in files if not isinstance(one, FileError)]
    results = iter(rewrite_unit(parsed, _Worker.settings, _Worker.resolver, task.writable))
    return [failed(source, one) if isinstance(one, FileError) else next(results) for source, one in files]
