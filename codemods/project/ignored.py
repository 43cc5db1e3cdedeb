"""Which paths gitignore-style patterns leave out: those of ``--exclude`` and those of .gitignore files."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from codemods.settings import SettingsError

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec


class Excluder:
    """The patterns of ``--exclude``, relative to one folder."""

    def __init__(self, patterns: tuple[str, ...], root: str = "") -> None:
        """Raises ``SettingsError`` for a malformed pattern."""
        self._root = os.path.join(os.path.abspath(root or os.curdir), "")
        self._spec: GitIgnoreSpec | None = None
        if patterns:
            from pathspec import GitIgnoreSpec

            try:
                self._spec = GitIgnoreSpec.from_lines([_from_here(pattern) for pattern in patterns])
            except ValueError as error:
                raise SettingsError(f"exclude: malformed pattern: {error}") from None

    def covers(self, path: str, *, is_folder: bool = False) -> bool:
        """Whether the absolute ``path``, or a folder on the way to it below the patterns' folder, is excluded."""
        if self._spec is None or not path.startswith(self._root):
            return False
        relative = path[len(self._root) :].replace(os.sep, "/")
        return self._spec.match_file(relative + "/" if is_folder else relative)

    def covers_shown(self, path: str) -> bool:
        """The same for a path relative to the working directory."""
        return self.covers(os.path.abspath(path))


def _from_here(pattern: str) -> str:
    """People and shells write ``./gen``; gitignore has no such form."""
    sign, rest = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    return sign + (rest[1:] if rest.startswith("./") else rest)


class IgnoreFile:
    """One .gitignore file. Patterns that git would not understand either are passed over, as git does."""

    def __init__(self, folder: str, lines: Iterable[str]) -> None:
        self._prefix = os.path.join(folder, "")
        self._spec = _spec_of(lines)

    @classmethod
    def of(cls, folder: str) -> IgnoreFile | None:
        """The .gitignore file in ``folder``, or None if there is none to read."""
        try:
            with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="surrogateescape") as stream:
                return cls(folder, stream.read().split("\n"))
        except OSError:
            return None

    def decides(self, path: str, *, is_folder: bool) -> bool | None:
        """True for ignored, False for taken in again with ``!``, None if no pattern speaks of the absolute ``path``."""
        relative = path[len(self._prefix) :].replace(os.sep, "/")
        return self._spec.check_file(relative + "/" if is_folder else relative).include


def _spec_of(lines: Iterable[str]) -> GitIgnoreSpec:
    from pathspec import GitIgnoreSpec

    good: list[str] = []
    for line in lines:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            continue
        good.append(line)
    return GitIgnoreSpec.from_lines(good)
