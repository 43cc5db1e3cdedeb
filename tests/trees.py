"""Small projects on disk, and what a run makes of them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent

from codemods import pipeline
from codemods.engine.paths import module_path
from codemods.engine.units import Project
from codemods.project.facts import ClassKey
from codemods.types import RunReport, Settings


def write_tree(root: Path, files: Mapping[str, str]) -> Path:
    """Write dedented sources below ``root``."""
    for name, source in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(source).lstrip("\n"), encoding="utf-8")
    return root


def run(root: Path, *paths: str, **settings: object) -> RunReport:
    """The dry run over a tree, or over some of its paths."""
    where = [str(root / path) for path in paths] or [str(root)]
    return pipeline.run(where, Settings(root=str(root), **settings))  # type: ignore[arg-type]


def findings(report: RunReport, root: Path) -> dict[str, list[str]]:
    """Of each file, the symbols that change and ``reason symbol`` of the items."""
    found: dict[str, list[str]] = {}
    for result in report.files:
        assert result.error is None, result
        name = Path(result.path).resolve().relative_to(root.resolve()).as_posix()
        found[name] = [c.symbol for c in result.changes] + [f"{m.reason} {m.symbol}" for m in result.manual]
    return found


def verdicts(root: Path, seed: int | None = None) -> dict[str, str]:
    """The verdict of every class that was read, by file and qualified name; ``seed`` shuffles the files."""
    paths = [module_path(str(path)) for path in sorted(root.rglob("*.py"))]
    if seed is not None:
        random.Random(seed).shuffle(paths)
    project = Project({path: path for path in paths}, [], lambda path: Path(path).read_bytes())
    project.candidates()
    base = module_path(str(root)) + "/"
    found: dict[str, str] = {}
    for path, facts in project.all_facts().items():
        for fact in facts.classes:
            verdict = project.resolver.resolve(ClassKey(path, fact.index)).verdict
            found[f"{path.removeprefix(base)}:{fact.qualname}"] = verdict.value
    return dict(sorted(found.items()))
