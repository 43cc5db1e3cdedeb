"""Which files a run looks at, inside and outside of git work trees."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from codemods.project.discover import Discovery, discover
from codemods.settings import SettingsError
from codemods.types import Settings, Stage

Make = Callable[..., None]


@pytest.fixture(params=["git", "walk"])
def make(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Make files below the working directory, which is a git work tree or not."""
    monkeypatch.chdir(tmp_path)
    if request.param == "git":
        git("init", "-q")

    def run(*names: str, text: str = "x = 1\n") -> None:
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    return run


def git(*arguments: str) -> None:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
    subprocess.run(command, check=True, capture_output=True)


def find(*paths: str, exclude: tuple[str, ...] = (), root: str = "", force: bool = False) -> Discovery:
    return discover(paths or (".",), Settings(exclude=exclude, exclude_root=root, force_exclude=force))


def test_python_files_and_stubs_are_found_in_order(make: Make) -> None:
    make("b.py", "a.pyi", "pkg/c.py", "pkg/deep/d.py", "README.md", "script", "e.pyc", "e.PY.txt")
    assert find().files == ("a.pyi", "b.py", "pkg/c.py", "pkg/deep/d.py")


@pytest.mark.parametrize("folder", ["venv", ".venv", "node_modules", "site-packages", "build", "dist", "__pycache__"])
def test_folders_without_own_source_are_skipped_at_any_depth(make: Make, folder: str) -> None:
    make(f"{folder}/a.py", f"pkg/{folder}/x/b.py", "pkg/ok.py", f"{folder}.py")
    assert find().files == tuple(sorted([f"{folder}.py", "pkg/ok.py"]))


def test_a_skipped_folder_that_is_named_is_searched(make: Make) -> None:
    make("build/a.py", "build/lib/b.py")
    assert find("build").files == ("build/a.py", "build/lib/b.py")


def test_ignore_files_are_honoured(make: Make) -> None:
    make("a.py", "gen/b.py", "pkg/gen.py", "pkg/keep_gen.py", "pkg/sub/x_pb2.py", "other/x_pb2.py")
    make(".gitignore", text="# generated\n/gen/\n*_gen.py\nnot-a-pattern\\\n\n")
    make("pkg/.gitignore", text="!keep_gen.py\nsub/*_pb2.py\n")
    assert find().files == ("a.py", "other/x_pb2.py", "pkg/gen.py", "pkg/keep_gen.py")
    assert find("pkg/sub").files == ()


def test_a_file_in_an_ignored_folder_cannot_be_taken_in_again(make: Make) -> None:
    make("gen/a.py")
    make(".gitignore", text="gen/\n!gen/a.py\n")
    assert find().files == ()


def test_ignored_files_and_folders_that_are_named_count(make: Make) -> None:
    make("gen/a.py", "gen/b.py")
    make(".gitignore", text="gen/\n")
    assert find("gen/a.py").files == ("gen/a.py",)
    assert find("gen").files == ("gen/a.py", "gen/b.py")


def test_named_files_need_no_suffix(make: Make) -> None:
    make("script", "a.py")
    assert find("script").files == ("script",)


def test_no_file_is_found_twice(make: Make, tmp_path: Path) -> None:
    make("pkg/a.py", "pkg/b.py")
    found = find(".", "pkg", "pkg/a.py", "./pkg/../pkg/a.py", str(tmp_path / "pkg" / "b.py"))
    assert found.files == ("pkg/a.py", "pkg/b.py")


def test_names_may_hold_anything(make: Make) -> None:
    names = ("new\nline.py", "dérivée.py", "with space.py", '"quoted".py', os.fsdecode(b"\xe9.py"))
    make(*names)
    assert set(find().files) == set(names)


def test_linked_folders_are_not_followed_and_links_that_lead_out_skipped(make: Make, tmp_path: Path) -> None:
    make("in/real/a.py", "out/b.py")
    (tmp_path / "in" / "linked").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "outside.py").symlink_to(tmp_path / "out" / "b.py")
    (tmp_path / "in" / "dangling.py").symlink_to("nowhere.py")
    (tmp_path / "in" / "same.py").symlink_to("real/a.py")
    assert find("in").files == ("in/real/a.py",)


def test_a_link_to_a_file_inside_without_the_suffix_stands_for_that_file(make: Make, tmp_path: Path) -> None:
    make("bin/tool")
    (tmp_path / "tool.py").symlink_to("bin/tool")
    assert find().files == ("bin/tool",)


def test_a_link_that_is_named_is_followed(make: Make, tmp_path: Path) -> None:
    make("out/b.py", "in/x.py")
    (tmp_path / "in" / "link.py").symlink_to(tmp_path / "out" / "b.py")
    (tmp_path / "folder").symlink_to(tmp_path / "out")
    assert find("in/link.py").files == ("in/link.py",)
    assert find("folder").files == ("folder/b.py",)


def test_paths_outside_the_working_directory_are_absolute(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make("pkg/a.py", "here/b.py", "herein/c.py")
    monkeypatch.chdir(tmp_path / "here")
    assert find("..").files == tuple(sorted(["b.py", str(tmp_path / "pkg/a.py"), str(tmp_path / "herein/c.py")]))


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("gen", ("a.py", "pkg/a.py")),
        ("gen/", ("a.py", "pkg/a.py")),
        ("/a.py", ("gen/x.py", "pkg/a.py", "pkg/gen/y.py")),
        ("./a.py", ("gen/x.py", "pkg/a.py", "pkg/gen/y.py")),
        ("a.py", ("gen/x.py", "pkg/gen/y.py")),
        ("pkg/**/y.py", ("a.py", "gen/x.py", "pkg/a.py")),
        ("*.py", ()),
    ],
)
def test_excluded_paths_are_left_out(make: Make, pattern: str, left: tuple[str, ...]) -> None:
    make("a.py", "gen/x.py", "pkg/a.py", "pkg/gen/y.py")
    assert find(exclude=(pattern,)).files == left


def test_patterns_are_relative_to_their_folder(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make("pkg/a.py", "pkg/pkg/a.py")
    monkeypatch.chdir(tmp_path / "pkg")
    assert find(exclude=("/pkg/a.py",)).files == ("a.py",)
    assert find(exclude=("/pkg/a.py",), root=str(tmp_path)).files == ("pkg/a.py",)


def test_later_patterns_take_in_again(make: Make) -> None:
    make("a_gen.py", "b_gen.py")
    assert find(exclude=("*_gen.py", "!b_gen.py")).files == ("b_gen.py",)


def test_named_paths_are_excluded_only_by_force(make: Make) -> None:
    make("gen/a.py")
    assert find("gen/a.py", exclude=("gen/",)).files == ("gen/a.py",)
    assert find("gen/a.py", exclude=("gen/",), force=True).files == ()
    assert find("gen", exclude=("gen/",), force=True).files == ()


def test_a_malformed_pattern_is_wrong_usage() -> None:
    with pytest.raises(SettingsError, match="exclude: malformed pattern"):
        find(exclude=("!",))


def test_paths_that_cannot_be_used_are_errors_and_the_others_count(make: Make, tmp_path: Path) -> None:
    make("a.py", "notebook.ipynb")
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "dangling.py").symlink_to("nowhere.py")
    found = find("missing.py", "a.py/inside", "pipe.py", "/dev/null", "dangling.py", "notebook.ipynb", "a.py")
    assert found.files == ("a.py",)
    errors = {result.path: result.error for result in found.failed}
    assert all(error is not None and error.stage is Stage.FIND and error.help for error in errors.values())
    messages = {path: error.message for path, error in errors.items() if error is not None}
    assert messages == {
        "missing.py": "there is no such file or folder",
        "a.py/inside": "there is no such file or folder",
        "pipe.py": "is a named pipe, not a file or folder",
        "/dev/null": "is a device, not a file or folder",
        "dangling.py": "is a link that leads nowhere",
        "notebook.ipynb": "notebooks are not read",
    }


def test_pipes_in_folders_are_passed_over(make: Make, tmp_path: Path) -> None:
    make("a.py")
    os.mkfifo(tmp_path / "pipe.py")
    assert find() == Discovery(("a.py",))


def test_a_folder_without_python_files_is_said(make: Make) -> None:
    make("docs/README.md", "a.py", "gen/b.py")
    assert find("docs", ".").empty_folders == ("docs",)
    assert find("gen", exclude=("gen",)).empty_folders == ()


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("x = 1\n")
    (tmp_path / "locked").mkdir()
    scandir = os.scandir

    def refuse(path: str) -> object:  # root may read everything
        if path.rstrip("/").endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    found = find()
    assert found.files == ("a.py",)
    (failed,) = found.failed
    assert failed.path == "locked"
    assert failed.error is not None
    assert failed.error.message == "cannot be searched: Permission denied"
