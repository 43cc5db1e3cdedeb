"""Diffs: what they look like, and that git applies them to exactly the wanted bytes."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from codemods.engine.hunks import quoted, unified_diff
from codemods.project.listing import git_prefix
from codemods.report import text
from codemods.types import FileResult, FileStatus, RunReport, Settings


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, capture_output=True, check=False)


def report_of(files: dict[str, tuple[bytes, bytes]]) -> RunReport:
    results = [FileResult(path, FileStatus.CHANGED, before=old, after=new) for path, (old, new) in files.items()]
    return RunReport(Settings(), tuple(results), 0, 0, 0, 0, 0.0)


def apply_with_git(top: Path, folder: Path, files: dict[str, tuple[bytes, bytes]]) -> None:
    """Diff as the command does in ``folder`` of the work tree ``top``, apply, and compare every byte."""
    assert git(top, "init", "-q").returncode == 0
    for path, (old, _) in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(old)
    patch = text.diff(report_of(files), text.Look(), git_prefix(str(folder)))
    for arguments in (["apply", "--check"], ["apply"]):
        done = git(folder, *arguments, stdin=patch)
        assert done.returncode == 0, (done.stderr, patch)
    for path, (_, new) in files.items():
        assert (folder / path).read_bytes() == new, path


def test_equal_bytes_have_no_diff() -> None:
    assert unified_diff(b"a\n", b"a\n", "a/x", "b/x") == b""


def test_a_diff_has_three_lines_of_context_and_no_git_header() -> None:
    before = b"".join(b"%d\n" % i for i in range(1, 11))
    after = before.replace(b"5\n", b"five\n")
    assert unified_diff(before, after, "a/x.py", "b/x.py") == (
        b"--- a/x.py\n+++ b/x.py\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
    )


def test_distant_changes_are_separate_hunks_and_near_ones_are_one() -> None:
    before = b"".join(b"%d\n" % i for i in range(1, 41))
    far = before.replace(b"\n5\n", b"\nfive\n").replace(b"\n30\n", b"\nthirty\n")
    near = before.replace(b"\n5\n", b"\nfive\n").replace(b"\n11\n", b"\neleven\n")
    assert unified_diff(before, far, "a", "b").count(b"@@ -") == 2
    assert unified_diff(before, near, "a", "b").count(b"@@ -") == 1


def test_ranges_of_one_line_and_of_none() -> None:
    assert b"@@ -1 +1,2 @@\n" in unified_diff(b"a\n", b"a\nb\n", "a", "b")
    assert b"@@ -0,0 +1 @@\n" in unified_diff(b"", b"a\n", "a", "b")
    assert b"@@ -1 +0,0 @@\n" in unified_diff(b"a\n", b"", "a", "b")


def test_a_missing_final_newline_is_said_on_each_side() -> None:
    mark = b"\\ No newline at end of file\n"
    assert unified_diff(b"a", b"b", "a", "b").endswith(b"-a\n" + mark + b"+b\n" + mark)
    assert unified_diff(b"a", b"b\n", "a", "b").endswith(b"-a\n" + mark + b"+b\n")


BYTES = {
    "crlf": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "mixed newlines": (b"a\r\nb\nc\r\n", b"a\r\nB\nc\r\n"),
    "cr only": (b"a\rb\rc\r", b"a\rB\rc\r"),
    "form feed": (b"a\n\x0c\nb\n\x0cc\n", b"a\n\x0c\nB\n\x0cc\n"),
    "separators": (
        "s='\u2028\u2029\x85\x1c\x1d\x1e\x0b'\nb\n".encode(),
        "s='\u2028\u2029\x85\x1c\x1d\x1e\x0b'\nB\n".encode(),
    ),
    "latin-1": (b"# d\xe9riv\xe9e\nb\n", b"# d\xe9riv\xe9e\nB\n"),
    "bom": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfa\nB\n"),
    "no final newline": (b"a\nb", b"a\nB"),
    "newline added": (b"a\nb", b"a\nb\n"),
    "newline removed": (b"a\nb\n", b"a\nb"),
    "no final newline in context": (b"a\nb\nc", b"A\nb\nc"),
    "blank last line": (b"a\nb\n   ", b"a\nB\n   "),
    "looks like a header": (b"-- x\n++ y\n@@ -1 +1 @@\n", b"-- x\n-- z\n@@ -1 +1 @@\n"),
    "only line": (b"a", b"b"),
}


@pytest.mark.parametrize("kind", BYTES)
def test_git_applies_every_kind_of_bytes(kind: str, tmp_path: Path) -> None:
    apply_with_git(tmp_path, tmp_path, {"x.py": BYTES[kind]})


NAMES = [
    "with space.py",
    "trailing space ",
    'quote".py',
    "back\\slash.py",
    "tab\there.py",
    "new\nline.py",
    "dérivée.py",
    "勾配.py",
    "escape\x1b[31m.py",
    "[brackets].py",
    "2024-01-01 10:00:00 +0000",
    "-dash.py",
    "a/b c/d.py",
    os.fsdecode(b"latin\xe9.py"),
]


@pytest.mark.parametrize("name", NAMES)
def test_git_applies_to_every_kind_of_name(name: str, tmp_path: Path) -> None:
    apply_with_git(tmp_path, tmp_path, {name: (b"a\n", b"b\n")})


def test_git_applies_several_files_in_a_sub_folder(tmp_path: Path) -> None:
    files = {"x.py": (b"a\n", b"b\n"), "inner/with space.py": (b"a\n", b"b\n")}
    apply_with_git(tmp_path, tmp_path / "some" / "folder", files)


@pytest.mark.parametrize("folder", ["pkg", "some/pkg"])
def test_git_applies_where_the_folder_repeats_its_name(folder: str, tmp_path: Path) -> None:
    # git takes a/pkg/x.py, in pkg/, for a path from the top: `git apply` then looks for x.py.
    files = {"y.py": (b"a\n", b"b\n"), f"{folder}/x.py": (b"a\n", b"b\n")}
    apply_with_git(tmp_path, tmp_path / folder, files)


def test_git_applies_random_edits(tmp_path: Path) -> None:
    random_ = random.Random(20)
    pieces = [b"a\n", b"b\n", b"\n", b"\r\n", b"c\r", b"\x0c\n", b"d", b" \n", b"\xe9\n", b"-- e\n"]
    files = {}
    for number in range(150):
        before = [random_.choice(pieces) for _ in range(random_.randrange(60))]
        after = list(before)
        for _ in range(random_.randrange(1, 5)):
            at = random_.randrange(len(after) + 1)
            after[at : at + random_.randrange(3)] = random_.choices(pieces, k=random_.randrange(3))
        old, new = b"".join(before), b"".join(after)
        if old != new and old and new:
            files[f"f{number}.py"] = (old, new)
    assert len(files) > 100
    apply_with_git(tmp_path, tmp_path, files)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b c.py", b"a/b c.py"),
        ('a"b', b'"a\\"b"'),
        ("a\nb\tc\\", b'"a\\nb\\tc\\\\"'),
        ("é", b'"\\303\\251"'),
        ("\x1b\x7f", b'"\\033\\177"'),
    ],
)
def test_names_are_quoted_as_git_does(path: str, expected: bytes) -> None:
    assert quoted(path) == expected


def test_the_prefix_of_a_folder_in_its_work_tree(tmp_path: Path) -> None:
    assert git(tmp_path, "init", "-q").returncode == 0
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    assert git_prefix(str(inner)) == "a/b/"
    assert git_prefix(str(tmp_path)) == ""
    assert git_prefix(os.sep) == ""
