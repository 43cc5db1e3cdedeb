"""From facts to verdicts: which classes are primitives, and what their method resolution order is.

A reference that leads out of its file is followed through the exports of other modules: re-exports, star imports,
import cycles. Modules are asked for as they are needed, so that the answer does not depend on the order of files. What
leads nowhere is UNKNOWN, with the name of the base that was not found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from codemods.hijax.roots import BASE_NAMES, MODULES, ROOTS, is_certainly_other, is_root
from codemods.project.facts import ClassFact, ClassKey, ModuleFacts, Ref, RefKind, Refs, Verdict
from codemods.project.modules import Lookup, ModuleTable


@dataclass(frozen=True)
class Root:
    """jax's primitive base class."""


@dataclass(frozen=True)
class Module:
    """A file of the project."""

    path: str


@dataclass(frozen=True)
class Function:
    """A function of the project."""

    path: str
    index: int


@dataclass(frozen=True)
class Other:
    """Certainly nothing of interest."""


@dataclass(frozen=True)
class Unknown:
    """Cannot be told; ``text`` is what was looked for."""

    text: str


Target = Root | ClassKey | Module | Function | Other | Unknown
Targets = frozenset[Target]
"""Alternatives: what a reference leads to, depending on the branch that ran."""


@dataclass(frozen=True)
class ResolvedClass:
    """A class with its place in the hierarchy.

    Attributes:
      key: the class.
      verdict: whether it is a primitive class.
      lineage: the classes of the project in method resolution order, itself first.
      unknown_bases: its own or inherited bases that could not be found; then ``lineage`` may lack classes.
      sites: the references in its own file by which jax's base class is reached.
    """

    key: ClassKey
    verdict: Verdict
    lineage: tuple[ClassKey, ...]
    unknown_bases: tuple[str, ...]
    sites: tuple[Ref, ...]

    @property
    def is_primitive(self) -> bool:
        return self.verdict is Verdict.PRIMITIVE


_OUTSIDE = -1
"""Instead of the number of a class: it is none of the project, ``path`` is its name."""

_ROOT = ClassKey(BASE_NAMES[0], _OUTSIDE)


class Resolver:
    """Follows references through the modules of a project.

    ``load`` gives the facts of a file of the table, or None if it cannot be read or parsed.
    """

    def __init__(self, table: ModuleTable, load: Callable[[str], ModuleFacts | None]) -> None:
        self.table = table
        self.load = load
        self._classes: dict[ClassKey, ResolvedClass] = {}
        self._active: set[ClassKey] = set()
        self._cut: set[ClassKey] = set()
        self._orders: dict[ClassKey, tuple[ClassKey, ...]] = {}
        """As the lineages, but with classes outside the project."""
        self._exports: dict[str, dict[str, Refs]] = {}

    def with_modules(self, facts: Mapping[str, ModuleFacts]) -> Resolver:
        """A resolver for which some modules are as given, whatever they were before."""

        def load(path: str) -> ModuleFacts | None:
            return facts[path] if path in facts else self.load(path)

        return Resolver(self.table, load)

    # References --------------------------------------------------------------------------------------------------

    def ref(self, ref: Ref, path: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Targets:
        """What a reference in the file ``path`` leads to."""
        if ref.kind is RefKind.CLASS:
            return frozenset({self._class_target(ClassKey(path, ref.index))})
        if ref.kind is RefKind.FUNCTION:
            return frozenset({Function(path, ref.index)})
        if ref.kind is RefKind.SYMBOL:
            return self.symbol(ref.name, path, seen)
        if ref.kind is RefKind.MADE:
            return frozenset({Unknown(f"{ref.name}(…)")})
        if ref.kind is RefKind.STARRED:
            first, *attrs = ref.name.split(".")
            return self._attributes(self._starred(path, first, seen), attrs, seen)
        is_nothing = ref.kind in (RefKind.OTHER, RefKind.UNBOUND)
        return frozenset({Other() if is_nothing else Unknown(ref.name)})

    def _class_target(self, key: ClassKey) -> Target:
        return Root() if self.is_root_class(key) else key

    def is_root_class(self, key: ClassKey) -> bool:
        """Whether a class of the project is jax's base class itself, as in jax's own source."""
        facts = self.load(key.path)
        name = facts.classes[key.index].qualname if facts is not None else ""
        return name in BASE_NAMES and any(f"{module}.{name}" in ROOTS for module in self.table.names(key.path))

    def symbol(self, name: str, path: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Targets:
        """What a dotted name means in the file ``path``; leading dots make it relative."""
        if is_root(name):
            return frozenset({Root()})
        if (path, name) in seen:
            return frozenset({Unknown(name)})
        seen |= {(path, name)}
        dots = len(name) - len(name.lstrip("."))
        parts = name[dots:].split(".") if name[dots:] else []
        for count in range(len(parts), -1 if dots else 0, -1):
            module = self.table.find("." * dots + ".".join(parts[:count]), path)
            if module is Lookup.AMBIGUOUS:
                return frozenset({Unknown(name)})
            if isinstance(module, str):
                return self._inside(module, parts[count:], parts[:count], dots, path, seen)
        if is_certainly_other(name):
            return frozenset({Other()})
        return frozenset({Unknown(name)})

    def _inside(
        self, module: str, rest: list[str], taken: list[str], dots: int, path: str, seen: frozenset[tuple[str, str]]
    ) -> Targets:
        if not rest:
            # `from package import name`: what the package binds to the name comes before a module of that name.
            has_parent = len(taken) > (0 if dots else 1)
            parent = self.table.find("." * dots + ".".join(taken[:-1]), path) if has_parent else None
            if isinstance(parent, str) and parent != module:
                bound = self._bound(parent, taken[-1], seen)
                if bound is not None and not any(isinstance(t, Unknown) for t in bound):
                    return bound
            return frozenset({Module(module)})
        return self._attributes(self.export(module, rest[0], seen), rest[1:], seen)

    def _attributes(self, found: Targets, attrs: Sequence[str], seen: frozenset[tuple[str, str]]) -> Targets:
        for attr in attrs:
            found = frozenset(t for one in found for t in self._attribute(one, attr, seen))
        return found

    def _attribute(self, target: Target, attr: str, seen: frozenset[tuple[str, str]]) -> Targets:
        if isinstance(target, Module):
            return self.export(target.path, attr, seen)
        if isinstance(target, ClassKey):
            return self._nested(target, attr)
        if isinstance(target, Unknown):
            # A module that was re-exported, such as jax's: what it is asked for has a dotted name again.
            name = f"{target.text}.{attr}"
            return frozenset({Root() if is_root(name) else Other() if is_certainly_other(name) else Unknown(name)})
        return frozenset({Other() if isinstance(target, Other) else Unknown(attr)})

    def _nested(self, outer: ClassKey, name: str) -> Targets:
        """The classes of that name in the body of a class, or of one that it inherits from."""
        for key in self.resolve(outer).lineage:
            facts = self.load(key.path)
            classes = facts.classes if facts is not None else ()
            qualname = f"{classes[key.index].qualname}.{name}" if classes else ""
            found = [ClassKey(key.path, fact.index) for fact in classes if fact.qualname == qualname]
            if found:
                return frozenset(self._class_target(nested) for nested in found)
        return frozenset({Unknown(name)})

    def export(self, path: str, name: str, seen: frozenset[tuple[str, str]] = frozenset()) -> Targets:
        """What ``name`` of the module ``path`` leads to."""
        bound = self._bound(path, name, seen)
        if bound is not None:
            return bound
        submodule = self.table.find(f".{name}", path) if path.rpartition("/")[2].startswith("__init__.") else None
        return frozenset({Module(submodule)}) if isinstance(submodule, str) else frozenset({Unknown(name)})

    def _bound(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> Targets | None:
        facts = self.load(path)
        if facts is None:
            return frozenset({Unknown(name)})
        if path not in self._exports:
            self._exports[path] = dict(facts.exports)
        refs = self._exports[path].get(name)
        if refs is not None:
            return frozenset(target for ref in refs for target in self.ref(ref, path, seen))
        return self._starred(path, name, seen) if facts.star_imports else None

    def _starred(self, path: str, name: str, seen: frozenset[tuple[str, str]]) -> Targets:
        """A name that only a star import can have bound; the last one that has it counts."""
        facts = self.load(path)
        if facts is None or (path, f"*{name}") in seen:
            return frozenset({Unknown(name)})
        seen |= {(path, f"*{name}")}
        for star in facts.star_imports:
            if star in MODULES and name in BASE_NAMES:
                return frozenset({Root()})
            module = self.table.find(star, path)
            if not isinstance(module, str):
                if star in MODULES or is_certainly_other(star):
                    continue
                return frozenset({Unknown(name)})
            source = self.load(module)
            is_public = source is None or (name in source.public if source.public is not None else name[:1] != "_")
            bound = self._bound(module, name, seen) if is_public else None
            if bound is not None and bound != frozenset({Unknown(name)}):
                return bound
        return frozenset({Unknown(name)})

    # Classes -----------------------------------------------------------------------------------------------------

    def resolve(self, key: ClassKey) -> ResolvedClass:
        """The verdict on a class."""
        if key in self._classes:
            return self._classes[key]
        facts = self.load(key.path)
        if facts is None or key in self._active:  # a class that is its own base, by a later rebinding
            self._cut.add(key)
            name = facts.classes[key.index].qualname if facts is not None else key.path
            return ResolvedClass(key, Verdict.UNKNOWN, (key,), (name,), ())
        self._active.add(key)
        found = self._resolve(key, facts.classes[key.index])
        self._active.discard(key)
        if not self._cut:  # else the answer depends on where the cycle was entered
            self._classes[key] = found
        self._cut.discard(key)
        return found

    def _resolve(self, key: ClassKey, fact: ClassFact) -> ResolvedClass:
        verdict, unknown, sites, parents = Verdict.OTHER, list[str](), list[Ref](), list[tuple[ClassKey, ...]]()
        for refs, text in zip(fact.bases, fact.base_texts, strict=True):
            targets = frozenset(t for ref in refs for t in self.ref(ref, key.path))
            keys = sorted(t for t in targets if isinstance(t, ClassKey))
            bases = [self.resolve(k) for k in keys]
            verdict = _strongest([verdict, *(_verdict(t) for t in targets), *(b.verdict for b in bases)])
            sites += self._sites(refs, key.path)
            unknown += [name for base in bases for name in base.unknown_bases if name not in unknown]
            is_lost = any(isinstance(t, Unknown) for t in targets) and not keys and Root() not in targets
            if is_lost or len(keys) > 1:
                unknown.append(text)
            # Of several, which one counts depends on the branch that ran.
            orders = [self._orders.get(base.key, base.lineage) for base in bases]
            orders += [(ClassKey(name, _OUTSIDE),) for name in self._outside(refs, targets)]
            if orders:
                parents.append(tuple(dict.fromkeys(k for order in orders for k in order)))
        order = (key, *_c3([*parents, tuple(p[0] for p in parents)]))
        self._orders[key] = order
        # jax's class has every rule method: what comes behind it is hidden.
        seen = order[: order.index(_ROOT)] if _ROOT in order else order
        lineage = tuple(k for k in seen if k.index != _OUTSIDE)
        return ResolvedClass(key, verdict, lineage, tuple(unknown), tuple(dict.fromkeys(sites)))

    @staticmethod
    def _outside(refs: Refs, targets: Targets) -> list[str]:
        """The name of the class outside the project that a base certainly is: it has a place in the order, too."""
        if any(isinstance(target, ClassKey) for target in targets):
            return []
        if Root() in targets:
            return [_ROOT.path]
        names = [ref.name for ref in refs if ref.kind is RefKind.SYMBOL and ref.name != "builtins.object"]
        return names if len(refs) == 1 else []

    def _sites(self, refs: Refs, path: str) -> list[Ref]:
        """The references of this file by which a base leads to jax's class."""
        found: list[Ref] = []
        for ref in sorted(refs, key=repr):
            if ref.kind is RefKind.CLASS:
                found += self.resolve(ClassKey(path, ref.index)).sites
            elif any(
                target == Root() or (isinstance(target, ClassKey) and self.resolve(target).is_primitive)
                for target in self.ref(ref, path)
            ):
                found.append(ref)
        return found


def _verdict(target: Target) -> Verdict:
    if isinstance(target, Root):
        return Verdict.PRIMITIVE
    return Verdict.UNKNOWN if isinstance(target, Unknown) else Verdict.OTHER


_ORDER = (Verdict.OTHER, Verdict.UNKNOWN, Verdict.PRIMITIVE)


def _strongest(verdicts: Iterable[Verdict]) -> Verdict:
    return max(verdicts, key=_ORDER.index)


def _c3(sequences: list[tuple[ClassKey, ...]]) -> list[ClassKey]:
    """C3 linearization; where none exists (Python would raise), the order in which the classes are met."""
    rest = [list(s) for s in sequences if s]
    out: list[ClassKey] = []
    while rest:
        head = next((s[0] for s in rest if not any(s[0] in other[1:] for other in rest)), rest[0][0])
        out.append(head)
        rest = [[n for n in s if n != head] for s in rest]
        rest = [s for s in rest if s]
    return out
