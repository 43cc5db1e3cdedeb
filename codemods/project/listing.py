"""The files below a folder, as git knows them or as they lie on disk. Problems are added to a list, never raised."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from codemods.project.ignored import IgnoreFile

SKIPPED_FOLDERS = frozenset(
    ".git .hg .svn .jj .venv venv node_modules site-packages build dist __pycache__ .tox .nox .eggs .mypy_cache "
    ".pytest_cache .ruff_cache .hypothesis .ipynb_checkpoints .direnv buck-out bazel-out".split()
)
"""Folders that hold no source of the project, wherever they stand below the folder that was named."""

_UNREADABLE = re.compile(r"could not open directory '(.*?)/?': (.*)")
_OF_A_HOOK = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_LITERAL_PATHSPECS")


def git_files(root: str, problems: list[tuple[str, str]]) -> list[str] | None:
    """Paths relative to ``root`` of the tracked and the untracked, not ignored files below it; "/" between folders.

    None if git cannot say: no work tree, no git, or a folder that the work tree ignores and a person named anyhow.
    """
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:
        return None
    output, messages = listed
    for path, message in _UNREADABLE.findall(messages):
        problems.append((os.path.join(root, path), message))
    names = list(dict.fromkeys(os.fsdecode(name) for name in output.split(b"\0") if name))
    if not names and _git(root, "check-ignore", "-q", ".") is not None:
        return None
    return names


def git_prefix(folder: str) -> str:
    """The path of ``folder`` inside its git work tree, with a "/" at the end; empty at its top and outside of any."""
    top = folder
    while not os.path.exists(os.path.join(top, ".git")):
        parent = os.path.dirname(top)
        if parent == top:
            return ""
        top = parent
    relative = os.path.relpath(folder, top).replace(os.sep, "/")
    return "" if relative == "." else relative + "/"


def _git(root: str, *arguments: str) -> tuple[bytes, str] | None:
    import subprocess

    # Inside a hook, git points its own commands at the repository of the hook, wherever they run.
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_HOOK}
    environment["LC_ALL"] = "C"
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=root, env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError:
        return None
    return (done.stdout, os.fsdecode(done.stderr)) if done.returncode == 0 else None


def walk_files(root: str, problems: list[tuple[str, str]]) -> Iterator[str]:
    """Paths relative to ``root`` of the files below it that no .gitignore file leaves out; "/" between folders."""
    yield from _walk(root, "", [*_ignore_files_above(root)], problems)


def _ignore_files_above(root: str) -> list[IgnoreFile]:
    """The .gitignore files above ``root``, up to the top of its work tree or, without one, the working directory."""
    folders: list[str] = []
    folder = root
    while not os.path.exists(os.path.join(folder, ".git")) and folder != os.getcwd():
        parent = os.path.dirname(folder)
        if parent == folder:
            return []
        folder = parent
        folders.append(folder)
    above = [file for folder in reversed(folders) if (file := IgnoreFile.of(folder)) is not None]
    # A folder that is ignored itself was named by a person: what made it ignored does not count below it.
    return [file for file in above if not file.decides(root, is_folder=True)]


def _walk(root: str, inner: str, ignores: list[IgnoreFile], problems: list[tuple[str, str]]) -> Iterator[str]:
    folder = os.path.join(root, inner) if inner else root
    try:
        with os.scandir(folder) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        problems.append((folder, error.strerror or str(error)))
        return
    here = IgnoreFile.of(folder)
    if here is not None:
        ignores = [*ignores, here]
    for entry in listed:
        is_folder = entry.is_dir(follow_symlinks=False)
        if is_folder and entry.name in SKIPPED_FOLDERS:
            continue
        if _is_ignored(os.path.join(folder, entry.name), is_folder, ignores):
            continue
        if is_folder:
            yield from _walk(root, f"{inner}{entry.name}/", ignores, problems)
        else:
            yield inner + entry.name


def _is_ignored(path: str, is_folder: bool, ignores: list[IgnoreFile]) -> bool:
    """The .gitignore file nearest to ``path`` that speaks of it decides."""
    for file in reversed(ignores):
        decided = file.decides(path, is_folder=is_folder)
        if decided is not None:
            return decided
    return False
