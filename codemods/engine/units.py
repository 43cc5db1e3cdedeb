"""Which files have to be parsed, and which of them belong together.

A file can matter because it names hijax or a rule, or because it names a primitive class of the project, under
whatever name that was imported or assigned: the search goes on with the names that it finds until there are no new
ones. Bases are read wherever they lead. Files hang together where a class inherits from a class of the other, or
calls its ``vjp_bwd``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from codemods.engine.parsed import Parsed, parse_source
from codemods.engine.paths import MARKS
from codemods.hijax.roots import BASE_NAMES, RULE_METHODS
from codemods.project.facts import ClassKey, ModuleFacts, RefKind, Refs, Verdict
from codemods.project.modules import ModuleTable
from codemods.project.resolve import Resolver, Root, Targets
from codemods.types import FileError, SourceFile


def _any_word(names: Iterable[str]) -> re.Pattern[bytes]:
    """Finds a name where it is a whole identifier."""
    words = b"|".join(re.escape(name.encode()) for name in sorted(names))
    return re.compile(rb"(?<![A-Za-z0-9_])(?:" + words + rb")(?![A-Za-z0-9_])")


@dataclass(frozen=True)
class UnitFiles:
    """Parsed files that belong together; ``writable`` are the module paths that may be changed."""

    files: tuple[Parsed, ...]
    writable: frozenset[str]


class Project:
    """The files of a project, read and parsed when they are asked for, each once.

    Args:
      shown: the path that reports show, for every file that may be changed, by its module path.
      others: module paths of files that are only looked at.
      read: the bytes of a file, or None if it cannot be read.
      installed: folders of installed packages.
    """

    def __init__(
        self,
        shown: Mapping[str, str],
        others: Iterable[str],
        read: Callable[[str], bytes | None],
        installed: Sequence[str] = (),
    ) -> None:
        self.shown = shown
        self.paths = sorted({*shown, *others})
        self.read = read
        self.installed = installed
        self.parsed: dict[str, Parsed | FileError] = {}
        self.resolver = Resolver(ModuleTable(self.paths, installed), self.facts)

    def facts(self, path: str) -> ModuleFacts | None:
        """The facts of a module, parsed now if need be."""
        parsed = self.parse(path)
        return parsed.scanned.facts if isinstance(parsed, Parsed) else None

    def parse(self, path: str) -> Parsed | FileError | None:
        """The parsed file; None if it cannot be read."""
        if path not in self.parsed:
            data = self.read(path)
            if data is None:
                return None
            self.parsed[path] = parse_source(SourceFile(self.shown.get(path, path), data))
        return self.parsed[path]

    def _mentions(self, path: str, wanted: re.Pattern[bytes]) -> bool:
        data = self.read(path)
        return data is not None and wanted.search(data) is not None

    def candidates(self) -> set[str]:
        """The files that can hold or use a primitive class."""
        found: set[str] = set()
        names = set[str]()
        pattern = re.compile(b"|".join(re.escape(mark) for mark in MARKS))
        while True:
            found |= {path for path in self.paths if path not in found and self._mentions(path, pattern)}
            for path in sorted(found):
                self.facts(path)
            new = self._primitive_names(names) - names
            if not new:
                return found
            names |= new
            pattern = _any_word(new)

    def _primitive_names(self, known: set[str]) -> set[str]:
        """Every name under which a parsed module defines, imports or assigns a primitive class of the project.

        ``known`` are such names: what is bound to something of another name is no primitive, and not followed.
        """
        names: set[str] = set()
        loaded = self._loaded()
        for path, facts in loaded:
            for fact in facts.classes:
                if self.resolver.resolve(ClassKey(path, fact.index)).is_primitive:
                    names.add(fact.qualname.rpartition(".")[2])
        leading = known | names | set(BASE_NAMES)
        for path, facts in loaded:
            for name, refs in facts.exports:
                if name not in names and self._is_primitive(refs, path, leading):
                    names.add(name)
        return names - set(BASE_NAMES)

    def all_facts(self) -> dict[str, ModuleFacts]:
        """The facts of every module that was parsed so far."""
        return dict(self._loaded())

    def _loaded(self) -> list[tuple[str, ModuleFacts]]:
        loaded = sorted(self.parsed)
        return [(path, facts) for path in loaded if (facts := self.facts(path)) is not None]

    def _is_primitive(self, refs: Refs, path: str, leading: set[str]) -> bool:
        for ref in refs:
            may_lead = ref.kind is RefKind.CLASS or (
                ref.kind in (RefKind.SYMBOL, RefKind.STARRED) and ref.name.rpartition(".")[2] in leading
            )
            if may_lead and self._leads(self.resolver.ref(ref, path)):
                return True
        return False

    def _leads(self, targets: Targets) -> bool:
        return any(
            isinstance(t, Root) or (isinstance(t, ClassKey) and self.resolver.resolve(t).is_primitive) for t in targets
        )

    def failures(self) -> dict[str, FileError]:
        """The files that could not be parsed."""
        return {path: parsed for path, parsed in sorted(self.parsed.items()) if isinstance(parsed, FileError)}

    # Units -------------------------------------------------------------------------------------------------------

    def units(self) -> list[UnitFiles]:
        """The units that hold a file which may be changed, by path."""
        candidates = self.candidates()
        top = {path: path for path in self.parsed}

        def find(path: str) -> str:
            while top[path] != path:
                top[path] = top[top[path]]
                path = top[path]
            return path

        for path, facts in self._loaded():
            for linked in self._links(path, facts):
                # A module that was parsed for this class only now joins as well.
                top.setdefault(linked, linked)
                top[find(linked)] = find(path)
        members: dict[str, list[str]] = {}
        for path in sorted(top):
            members.setdefault(find(path), []).append(path)
        found = [self._unit(paths, candidates) for paths in members.values()]
        return sorted((unit for unit in found if unit is not None), key=lambda unit: unit.files[0].path)

    def _links(self, path: str, facts: ModuleFacts) -> set[str]:
        linked: set[str] = set()
        for fact in facts.classes:
            resolved = self.resolver.resolve(ClassKey(path, fact.index))
            if resolved.verdict is Verdict.PRIMITIVE or self.has_rules(resolved.lineage):
                linked |= {key.path for key in resolved.lineage}
        for refs in facts.receivers:
            for ref in refs:
                if ref.kind in (RefKind.SYMBOL, RefKind.MADE):
                    targets = self.resolver.symbol(ref.name, path)
                    linked |= {t.path for t in targets if isinstance(t, ClassKey)}
        return linked

    def has_rules(self, lineage: Sequence[ClassKey]) -> bool:
        for key in lineage:
            facts = self.facts(key.path)
            if facts is not None and RULE_METHODS.intersection(facts.classes[key.index].members):
                return True
        return False

    def _unit(self, paths: Sequence[str], candidates: set[str]) -> UnitFiles | None:
        files = [parsed for path in paths if isinstance(parsed := self.parse(path), Parsed)]
        writable = frozenset(parsed.path for parsed in files if parsed.path in self.shown)
        if not writable & candidates and not any(path in candidates for path in paths):
            return None
        return UnitFiles(tuple(files), writable) if writable and files else None
