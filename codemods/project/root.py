"""The project around the paths of a run: where it starts, and where the packages of its environment are installed."""

from __future__ import annotations

import os
from collections.abc import Sequence

_MARKS = (".git", "pyproject.toml")


def project_root(paths: Sequence[str], given: str = "") -> str:
    """The folder in which bases and callers are looked for.

    ``given`` if it is not empty; else the top of the git work tree that holds the paths, else the nearest folder above
    them with a pyproject.toml, else the folder that they have in common.
    """
    if given:
        return os.path.abspath(given)
    folders = [os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path) or ".") for path in paths]
    try:
        common = os.path.commonpath(folders)
    except ValueError:  # none, or on several drives
        return os.getcwd()
    for mark in _MARKS:
        folder = common
        while True:
            if os.path.exists(os.path.join(folder, mark)):
                return folder
            parent = os.path.dirname(folder)
            if parent == folder:
                break
            folder = parent
    return common


def installed_folders(python: str) -> tuple[str, ...]:
    """The folders in which an interpreter finds installed packages; runs it, but imports nothing of them.

    Raises:
      OSError: ``python`` cannot be run.
      ValueError: it is no Python.
    """
    import subprocess

    code = "import sys; print('\\n'.join(p for p in sys.path if p))"
    done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ValueError(done.stderr.strip().rpartition("\n")[2] or f"{python} exits with {done.returncode}")
    folders = [os.path.realpath(line) for line in done.stdout.splitlines() if os.path.isdir(line)]
    return tuple(folder.replace(os.sep, "/") for folder in folders)
