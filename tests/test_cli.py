"""The commands from end to end: streams, files on disk, exit statuses."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codemods import __version__, pipeline
from tests.command import LINE, ROOT, process, put, run
from tests.samples import BROKEN, CURRENT, LEGACY, MANUAL, MIGRATED, UNRELATED


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


def test_diff_shows_the_diff_and_nothing_else_on_stdout_and_writes_nothing() -> None:
    put(legacy=LEGACY, manual=MANUAL, unrelated=UNRELATED)
    result = run("diff")
    assert result.exit_code == 0
    assert result.stdout.startswith("--- a/legacy.py\n+++ b/legacy.py\n@@ -2,5 +2,5 @@\n")
    assert "-    def vjp_bwd(self, res, g):\n+    def vjp_bwd_retval(self, res, g):\n" in result.stdout
    assert "manual.py" not in result.stdout
    item, help_line, summary = result.stderr.splitlines()
    assert item.startswith(f"manual.py:5:5: {LINE} ")
    assert help_line.startswith("    help: ")
    assert summary == (
        "Scanned 3 files, 2 mention hijax, 2 primitive classes; 1 file would change (1 change), 1 item needs you."
    )
    assert Path("legacy.py").read_bytes() == LEGACY


def test_check_has_one_line_a_change_or_item() -> None:
    put(legacy=LEGACY, manual=MANUAL)
    result = run("check")
    assert result.exit_code == 1
    first, second = result.stdout.splitlines()
    assert first.startswith(f"legacy.py:5:5: {LINE} ")
    assert second.startswith(f"manual.py:5:5: {LINE} ")
    assert "help:" not in result.stderr
    assert "help:" in run("check", "-v").stderr
    assert Path("legacy.py").read_bytes() == LEGACY


def test_apply_writes_the_changes_and_says_so() -> None:
    put(legacy=LEGACY, unrelated=UNRELATED)
    result = run("apply")
    assert result.exit_code == 0
    assert result.stdout.startswith(f"legacy.py:5:5: {LINE} ")
    assert result.stderr.endswith("; 1 file changed (1 change).\n")
    assert Path("legacy.py").read_bytes() == MIGRATED
    again = run("apply")
    assert (again.exit_code, again.stdout) == (0, "")
    assert again.stderr == "Scanned 2 files, 1 mentions hijax, 1 primitive class; nothing to do.\n"


@pytest.mark.parametrize(
    ("files", "statuses"),
    [
        ({"a": UNRELATED}, {"diff": 0, "check": 0, "apply": 0}),
        ({"a": CURRENT}, {"diff": 0, "check": 0, "apply": 0}),
        ({"a": LEGACY}, {"diff": 0, "check": 1, "apply": 0, "diff --exit-code": 1, "check --exit-zero": 0}),
        ({"a": MANUAL}, {"diff": 0, "check": 1, "apply": 1, "diff --exit-code": 1, "check --exit-zero": 0}),
        (
            {"a": BROKEN, "b": LEGACY},
            {"diff": 2, "check": 2, "check --exit-zero": 2, "diff --exit-code": 2, "apply": 2},
        ),
        ({"a": b"def (:\n"}, {"diff": 0, "check": 0, "apply": 0}),  # no candidate, so not parsed
    ],
)
def test_exit_statuses(files: dict[str, bytes], statuses: dict[str, int]) -> None:
    for command, status in statuses.items():
        put(**files)
        assert run(*command.split()).exit_code == status, command


def test_bad_files_are_reported_and_the_others_done() -> None:
    put(legacy=LEGACY, broken=BROKEN, bytes=b"# hijax \xff\n", cookie=b"# coding: klingon\nhijax\n")
    Path("empty").mkdir()
    result = run("apply", ".", "missing.py", "empty")
    assert result.exit_code == 2
    assert Path("legacy.py").read_bytes() == MIGRATED
    assert Path("broken.py").read_bytes() == BROKEN
    errors = [line for line in result.stderr.splitlines() if " error [" in line]
    assert [re.sub(r":\d+:\d+:", "", line).partition("]")[0] for line in errors] == [
        "broken.py error [parse",
        "bytes.py error [decode",
        "cookie.py error [decode",
        "missing.py: error [find",
    ]
    assert result.stderr.count("    help: ") == 4
    assert "note: there is no Python file in empty\n" in result.stderr
    assert result.stderr.endswith("1 file changed (1 change), 4 errors.\n")


def test_an_unreadable_file_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    put(legacy=LEGACY, locked=LEGACY)
    real_open = open

    def refuse(path: str, *arguments: object) -> object:  # root may read everything
        if path == "locked.py":
            raise PermissionError(13, "Permission denied")
        return real_open(path, *arguments)  # type: ignore[call-overload]

    monkeypatch.setattr(pipeline, "open", refuse, raising=False)
    result = run("diff")
    assert result.exit_code == 2
    assert "locked.py: error [read] cannot be read: Permission denied\n    help: " in result.stderr
    assert "--- a/legacy.py" in result.stdout


def test_a_file_that_cannot_be_written_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    put(a=LEGACY, b=LEGACY)
    replace = os.replace

    def fail(source: str, target: str) -> None:
        if target.endswith("a.py"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    result = run("apply")
    assert result.exit_code == 2
    assert Path("a.py").read_bytes() == LEGACY
    assert Path("b.py").read_bytes() == MIGRATED
    assert "a.py: error [write] cannot be written: No space left on device" in result.stderr
    assert result.stdout.startswith("b.py:5:5: ")
    assert result.stderr.endswith("; 1 file changed (1 change), 1 error.\n")


def test_a_folder_without_python_files() -> None:
    result = run("check", ".")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert result.stderr == (
        "note: there is no Python file in .\nScanned 0 files, 0 mention hijax, 0 primitive classes; nothing to do.\n"
    )


def test_json_goes_to_stdout_as_one_object() -> None:
    put(a=LEGACY, b=MANUAL, c=BROKEN)
    for command in ("diff", "check", "apply"):
        result = run(command, "--format", "json")
        data = json.loads(result.stdout)
        assert [(file["path"], file["status"]) for file in data["files"]] == [
            ("a.py", "changed"),
            ("b.py", "unchanged"),
            ("c.py", "failed"),
        ]
        assert data["files"][0]["diff"].startswith("--- a/a.py\n")
        assert data["summary"]["changes"] == data["summary"]["manual"] == data["summary"]["errors"] == 1
        assert "help: " not in result.stderr.replace(result.stderr.partition("c.py")[2].partition("Scanned")[0], "")
    assert Path("a.py").read_bytes() == MIGRATED


@pytest.mark.parametrize("command", ["diff", "check", "apply"])
def test_the_result_goes_to_a_file(command: str) -> None:
    put(a=LEGACY)
    expected = run(command).stdout
    put(a=LEGACY)
    result = run(command, "--output", "out.txt")
    assert result.stdout == ""
    assert Path("out.txt").read_text() == expected != ""
    failed = run("diff", "--output", "missing/out.txt")
    assert failed.exit_code != 0
    assert "missing/out.txt cannot be written" in failed.stderr


def test_rules_lists_and_explains() -> None:
    listed = run("rules")
    assert listed.exit_code == 0
    codes = [line.split()[0] for line in listed.stdout.splitlines()]
    assert codes == sorted(codes)
    assert "HJX101" in codes
    for name in ("vjp-bwd-retval", "hjx101"):
        page = run("rules", name)
        assert page.stdout.startswith("HJX101 vjp-bwd-retval (safe)\n")
        assert "  before:\n" in page.stdout
        assert "  after:\n" in page.stdout


def test_help_and_version() -> None:
    assert process("--version").stdout.decode().split()[-1] == __version__
    listed = process("--help").stdout.decode()
    assert [line.split()[0] for line in listed.partition("Commands:")[2].splitlines()[1:]] == [
        "diff",
        "check",
        "apply",
        "rules",
        "classes",
    ]
    done = subprocess.run([sys.executable, "-m", "codemods", "--help"], cwd=ROOT, capture_output=True, check=True)
    assert done.stdout.decode() == listed
