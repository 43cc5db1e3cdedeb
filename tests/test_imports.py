"""Imports go one way, jax and click stay where they belong, and ``--help`` loads nothing slow."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "codemods"

LAYERS = (
    ("codemods", "codemods.types"),
    ("codemods.settings",),
    ("codemods.hijax",),
    ("codemods.project",),
    ("codemods.rules", "codemods.edits"),
    ("codemods.engine",),
    ("codemods.pipeline",),
    ("codemods.report",),
    ("codemods.cli", "codemods.__main__"),
)
"""From the bottom up: a module imports from its own layer and those above it in this list."""

ADAPTERS = {"codemods.rules._command"}
"""Makes a rule a LibCST command of its own, so it calls the engine; nothing but the rules' modules imports it."""

MODULES = sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.append(node.module or "")
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return found


def layer(module: str) -> int:
    """The place of a module, or of a name in it, in LAYERS: that of the longest prefix."""
    best = max((name for names in LAYERS for name in names if module == name or module.startswith(name + ".")), key=len)
    return next(i for i, names in enumerate(LAYERS) if best in names)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_go_one_way(path: Path) -> None:
    own = layer(module_name(path))
    upward = [name for name in imported(path) if name.startswith("codemods.") and layer(name) > own]
    if module_name(path) in ADAPTERS:
        upward = [name for name in upward if not name.startswith("codemods.engine.")]
    assert upward == []


def test_the_direction_is_checked_at_all() -> None:
    assert len(MODULES) > 20
    assert layer("codemods.types.Change") < layer("codemods.project.scan") < layer("codemods.cli.diff.diff")
    assert any("codemods.engine.hunks.unified_diff" in imported(path) for path in MODULES)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_jax_is_imported_nowhere_and_click_only_by_the_command_line(path: Path) -> None:
    tops = {name.partition(".")[0] for name in imported(path)}
    assert not tops & {"jax", "jaxlib", "numpy"}
    if not module_name(path).startswith("codemods.cli"):
        assert "click" not in tops


def test_rules_do_not_import_each_other() -> None:
    rules = {module_name(path) for path in (PACKAGE / "rules").glob("[!_]*.py")}
    for path in (PACKAGE / "rules").glob("[!_]*.py"):
        assert not set(imported(path)) & rules, path


SLOW = ("libcst", "jax", "json", "pathspec", "packaging", "subprocess", "tomllib", "asyncio")


@pytest.mark.parametrize(
    "program",
    [
        "import codemods.cli",
        "import codemods.cli; codemods.cli.cli.main(['--help'], standalone_mode=False)",
        "import codemods.cli; codemods.cli.cli.main(['diff', '--help'], standalone_mode=False)",
    ],
)
def test_the_command_line_starts_without_slow_modules(program: str) -> None:
    program += f"\nimport sys; print(*[name for name in {SLOW!r} if name in sys.modules], file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stderr.split() == []
