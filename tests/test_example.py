"""examples/legacy_ops: it fails before a migration, and is right after it in both styles."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from codemods.engine.rewrite import rewrite
from codemods.types import BwdStyle, FileResult, Settings, SourceFile
from tests.jax_release import skip_without_jax

EXAMPLE = Path(__file__).parent.parent / "examples" / "legacy_ops"
MIGRATED = {"elementwise.py": 5, "layers.py": 4, "quantization.py": 3}
"""Rules that are rewritten, by file; a renamed stub is a change more."""


def results(folder: Path, bwd: BwdStyle) -> dict[str, FileResult]:
    settings = Settings(bwd=bwd)
    files = sorted(folder.rglob("*.py"))
    return {file.name: rewrite(SourceFile(str(file), file.read_bytes()), settings) for file in files}


def check_gradients(folder: Path, cwd: Path) -> tuple[int, dict[str, str]]:
    """The exit status and the verdicts."""
    skip_without_jax()
    command = [sys.executable, "-B", str(folder / "check_gradients.py")]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    verdicts = {line[:14].strip(): line[14:].strip() for line in done.stdout.splitlines()[:-1]}
    return done.returncode, verdicts


def test_what_is_migrated_and_what_needs_you(bwd: BwdStyle) -> None:
    found = results(EXAMPLE, bwd)
    stubs = {"quantization.py": 1} if bwd is BwdStyle.RETVAL else {}
    changes = {name: len(result.changes) - stubs.get(name, 0) for name, result in found.items() if result.changes}
    assert changes == MIGRATED
    manual = [(name, item.symbol, item.reason) for name, result in found.items() for item in result.manual]
    assert manual == [("elementwise.py", "Huber.vjp_bwd", "dict-is-logs")]
    assert sum(result.classes for result in found.values()) == 15


def test_the_original_fails(tmp_path: Path) -> None:
    status, verdicts = check_gradients(EXAMPLE, tmp_path)
    assert status == 1
    assert [name for name, verdict in verdicts.items() if verdict == "ok"] == ["bilinear", "quantized"]
    assert "got tuple" in verdicts["fake_quant"]


def test_the_migrated_package_is_right(tmp_path: Path, bwd: BwdStyle) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(EXAMPLE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for result in results(copy, bwd).values():
        Path(result.path).write_bytes(result.after)
    status, verdicts = check_gradients(copy, copy)
    assert status == 0
    assert {name: verdict for name, verdict in verdicts.items() if verdict != "ok"}.keys() == {"huber"}
    assert verdicts["huber"].startswith("needs you")
