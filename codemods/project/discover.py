"""From paths to the Python files that a run looks at, each once, in the order of their paths.

Inside a git work tree git says what is there: tracked files and untracked ones that are not ignored. Elsewhere the
folder is walked and its .gitignore files are honoured. A path that cannot be used is an error value; the others count.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from codemods.project.ignored import Excluder
from codemods.project.listing import SKIPPED_FOLDERS, git_files, walk_files
from codemods.types import FileError, FileResult, FileStatus, Settings, Stage

SUFFIXES = (".py", ".pyi")

_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True)
class Discovery:
    """The files to look at and the paths that failed, both ordered by path; and folders without a Python file."""

    files: tuple[str, ...]
    failed: tuple[FileResult, ...] = ()
    empty_folders: tuple[str, ...] = ()


def discover(paths: Sequence[str], settings: Settings) -> Discovery:
    """Every Python file in ``paths``: files as they are, folders searched.

    Raises:
      SettingsError: a pattern of ``exclude`` is malformed.
    """
    search = _Search(Excluder(settings.exclude, settings.exclude_root), settings.force_exclude)
    for path in paths:
        search.add(path)
    return Discovery(
        tuple(sorted(search.found.values())),
        tuple(sorted(search.failed, key=lambda result: result.path)),
        tuple(search.empty),
    )


def shown(path: str) -> str:
    """``path`` as reports show it: relative to the working directory where it lies below it, else absolute."""
    full = os.path.abspath(path)
    here = os.path.join(os.getcwd(), "")
    return full[len(here) :] if full.startswith(here) else full


@dataclass
class _Search:
    """What was found so far: the shown path of each real path."""

    excluder: Excluder
    force_exclude: bool
    found: dict[str, str] = field(default_factory=dict)
    failed: list[FileResult] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)

    def add(self, path: str) -> None:
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            self._fail(path, *_no_stat(path, error))
            return
        if stat.S_ISDIR(mode):
            self._add_folder(path)
        elif stat.S_ISREG(mode):
            self._add_file(path)
        else:
            kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "not a file")
            self._fail(path, f"is {kind}, not a file or folder", "use `-` to read standard input")

    def _add_file(self, path: str) -> None:
        if self.force_exclude and self.excluder.covers(os.path.abspath(path)):
            return
        if path.endswith(".ipynb"):
            self._fail(path, "notebooks are not read", "convert it to a .py file, migrate that, and convert it back")
            return
        # Of a link and its target, both named, only the first counts: the second write would meet changed bytes.
        self.found.setdefault(os.path.realpath(path), shown(path))

    def _add_folder(self, folder: str) -> None:
        root = os.path.abspath(folder)
        if self.force_exclude and self.excluder.covers(root, is_folder=True):
            return
        problems: list[tuple[str, str]] = []
        listed = git_files(root, problems)
        is_empty = True
        for path in self._regular(root, walk_files(root, problems) if listed is None else listed):
            is_empty = False
            if not self.excluder.covers(path):
                self.found.setdefault(os.path.realpath(path), shown(path))
        for path, message in problems:
            self._fail(path, f"cannot be searched: {message}", "check its permissions, or leave it out with --exclude")
        if is_empty and not problems:
            self.empty.append(folder)

    def _regular(self, root: str, names: Iterable[str]) -> Iterator[str]:
        """The Python files among ``names`` that exist; a link that stays inside ``root`` stands for its target."""
        real_root = os.path.realpath(root)
        for name in names:
            if not name.endswith(SUFFIXES) or not SKIPPED_FOLDERS.isdisjoint(name.split("/")[:-1]):
                continue
            path = os.path.join(root, name)
            try:
                mode = os.lstat(path).st_mode
            except OSError:  # tracked and deleted
                continue
            if stat.S_ISREG(mode):
                yield path
            elif stat.S_ISLNK(mode):
                target = os.path.relpath(os.path.realpath(path), real_root)
                inside = target.split(os.sep)
                full = os.path.join(root, target)
                if inside[0] != os.pardir and SKIPPED_FOLDERS.isdisjoint(inside) and os.path.isfile(full):
                    yield full

    def _fail(self, path: str, message: str, help_text: str) -> None:
        error = FileError(Stage.FIND, message, help_text)
        self.failed.append(FileResult(shown(path), FileStatus.FAILED, error=error))


def _no_stat(path: str, error: OSError) -> tuple[str, str]:
    if os.path.islink(path):
        return "is a link that leads nowhere", "remove the link or name another path"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "there is no such file or folder", "check its spelling and the working directory"
    return f"cannot be looked at: {error.strerror}", "check the permissions of its folders"
