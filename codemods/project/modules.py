"""Which file an import leads to: by paths only, without reading or importing anything.

A project may hold several packages, ``src`` layouts, namespace packages and modules of one name. An absolute import
is looked up as a path below every folder that can be an import root, the nearest to the importing file first; where
two are equally near, the answer is that it cannot be told. Relative imports follow the folders exactly.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable
from enum import Enum


class Lookup(Enum):
    """Why there is no file for a module."""

    ABSENT = "absent"
    """no file of the project is the module"""
    AMBIGUOUS = "ambiguous"
    """several files are, equally near"""


class ModuleTable:
    """The Python files of a project, by the module names that they can be imported as.

    Paths are absolute with forward slashes. ``installed`` are folders in which packages are looked for that are not
    part of the project.
    """

    def __init__(self, paths: Iterable[str], installed: Iterable[str] = ()) -> None:
        self._files = frozenset(paths)
        self._installed = tuple(installed)
        self._packages = frozenset(posixpath.dirname(p) for p in self._files if _stem(p) == "__init__")
        self._by_tail: dict[str, list[str]] = {}
        for path in self._files:
            self._by_tail.setdefault(_tail(path), []).append(path)

    def __contains__(self, path: str) -> bool:
        return path in self._files

    def find(self, dotted: str, importer: str) -> str | Lookup:
        """The file of module ``dotted`` as ``importer`` would import it; leading dots make it relative."""
        level = len(dotted) - len(dotted.lstrip("."))
        if level:
            return self._relative(dotted[level:], level, importer)
        parts = dotted.split(".")
        found: dict[tuple[int, int], list[str]] = {}
        for path in self._by_tail.get(parts[-1], ()):
            root = _root_of(path, parts)
            if root is not None and self._can_be_root(root, importer):
                found.setdefault(_distance(root, importer), []).append(path)
        return self._best(found) if found else self._in_environment(parts)

    def _in_environment(self, parts: list[str]) -> str | Lookup:
        for folder in self._installed:
            path = self._first(f"{folder}/{'/'.join(parts)}")
            if path is not None:
                return path
        return Lookup.ABSENT

    def _first(self, base: str) -> str | None:
        """The file of the module at ``base``: a package before a module, source before a stub."""
        for ending in ("/__init__.py", ".py", "/__init__.pyi", ".pyi"):
            path = base + ending
            if path in self._files or (self._is_installed(path) and os.path.isfile(path)):
                return path
        return None

    def _is_installed(self, path: str) -> bool:
        return any(path.startswith(folder + "/") for folder in self._installed)

    def _relative(self, rest: str, level: int, importer: str) -> str | Lookup:
        folder = posixpath.dirname(importer)
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        found = self._first(posixpath.join(folder, *rest.split(".")) if rest else folder)
        return found if found is not None else Lookup.ABSENT

    def _can_be_root(self, root: str, importer: str) -> bool:
        # A folder inside a package is no import root, except that of a script that imports its neighbours.
        return root not in self._packages or root == posixpath.dirname(importer)

    @staticmethod
    def _best(found: dict[tuple[int, int], list[str]]) -> str | Lookup:
        nearest = found[min(found)]
        # A package wins over a module of its name, and source over a stub, as at run time.
        ranked = sorted(nearest, key=lambda path: (path.endswith(".pyi"), _stem(path) != "__init__"))
        roots = {posixpath.dirname(path) if _stem(path) != "__init__" else _parent(path) for path in nearest}
        return ranked[0] if len(roots) == 1 else Lookup.AMBIGUOUS

    def names(self, path: str) -> tuple[str, ...]:
        """Every dotted name that a file can be imported as, the longest last."""
        parts = posixpath.splitext(path)[0].strip("/").split("/")
        if parts[-1] == "__init__":
            parts = parts[:-1]
        return tuple(".".join(parts[-count:]) for count in range(1, len(parts) + 1))


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _parent(path: str) -> str:
    return posixpath.dirname(posixpath.dirname(path))


def _tail(path: str) -> str:
    """The last part of the module name of a file."""
    stem = _stem(path)
    return posixpath.basename(posixpath.dirname(path)) if stem == "__init__" else stem


def _root_of(path: str, parts: list[str]) -> str | None:
    """The folder below which ``path`` is the module ``parts``, or None."""
    body = posixpath.splitext(path)[0]
    if _stem(path) == "__init__":
        body = posixpath.dirname(body)
    suffix = "/" + "/".join(parts)
    return body[: -len(suffix)] if body.endswith(suffix) else None


def _distance(root: str, importer: str) -> tuple[int, int]:
    """How far an import root is from a file: folders above it count first, then by the steps between them."""
    folder = posixpath.dirname(importer)
    if folder == root or folder.startswith(root + "/"):
        return 0, folder.count("/") - root.count("/")
    common = posixpath.commonpath([folder, root]) if root.startswith("/") == folder.startswith("/") else ""
    up = folder.count("/") - common.count("/")
    down = root.count("/") - common.count("/")
    return 1, up + down
