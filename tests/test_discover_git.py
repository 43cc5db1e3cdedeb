"""Discovery in git work trees: what git lists is not always there, and git is not always there."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from codemods.project.discover import Discovery, discover
from codemods.types import Settings, Stage


def git(*arguments: str) -> None:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    subprocess.run(command, check=True, capture_output=True)


def find(*paths: str) -> Discovery:
    return discover(paths or (".",), Settings())


def test_tracked_files_that_are_deleted_or_ignored_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    for name in ("deleted.py", "kept.py", "ignored.py"):
        (tmp_path / name).write_text("x = 1\n")
    git("add", "-A")
    (tmp_path / "deleted.py").unlink()
    (tmp_path / ".gitignore").write_text("ignored.py\n")
    assert find().files == ("ignored.py", "kept.py")


def test_a_tracked_file_that_became_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    (tmp_path / "x.py").write_text("x = 1\n")
    git("add", "-A")
    (tmp_path / "x.py").unlink()
    (tmp_path / "x.py").mkdir()
    (tmp_path / "x.py" / "inner.py").write_text("x = 1\n")
    assert find().files == ("x.py/inner.py",)


def test_submodules_are_skipped_and_searched_when_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    main = tmp_path / "main"
    for folder in (other, main):
        folder.mkdir()
        monkeypatch.chdir(folder)
        git("init", "-q")
        (folder / "a.py").write_text("x = 1\n")
        git("add", "-A")
        git("commit", "-qm", "first")
    git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(other), "sub.py")
    assert find().files == ("a.py",)
    assert find("sub.py").files == ("sub.py/a.py",)


def test_the_environment_of_a_hook_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        git("init", "-q")
        (tmp_path / name / f"{name}.py").write_text("x = 1\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "one" / ".git"))
    assert find().files == ("two.py",)


def test_without_git_the_work_tree_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    git("init", "-q")
    for name in ("a.py", "pkg/b.py", "pkg/gen/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    (tmp_path / ".gitignore").write_text("gen/\n")
    monkeypatch.setenv("PATH", "")
    assert find().files == ("a.py", "pkg/b.py")
    assert find("pkg").files == ("pkg/b.py",)  # ignore files above it, up to the top of the work tree, count
    assert find("pkg/gen").files == ("pkg/gen/c.py",)


def test_a_folder_that_git_cannot_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(
        "#!/bin/sh\necho \"warning: could not open directory 'locked/': Permission denied\" >&2\nprintf 'a.py\\0'\n"
    )
    fake.chmod(0o755)
    (tmp_path / "a.py").write_text("x = 1\n")
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    found = find()
    assert found.files == ("a.py",)
    assert [(result.path, result.error and result.error.stage) for result in found.failed] == [("locked", Stage.FIND)]
