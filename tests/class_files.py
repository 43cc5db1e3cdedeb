"""Put random classes into random files of random packages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tests.class_graphs import ROOT, Module, Node
from tests.class_imports import Way, Ways

# In an order in which each may depend on those before it; what a package's __init__ re-exports comes last in it.
TOPS = ("alpha", "beta", "gamma")
INNER = ("{}", "{}.base", "{}.ops", "{}.sub.deep.base", "{}.sub", "{}.sub.base", "{}.sub.ops", "{}.late")
SLOTS = (*(place.format(top) for top in TOPS for place in INNER), "solo")
PACKAGES = frozenset(place.format(top) for top in TOPS for place in ("{}", "{}.sub", "{}.sub.deep"))


@dataclass(frozen=True)
class Tree:
    """A project.

    Attributes:
      files: their text by path.
      modules: in an order in which they can be imported.
      roots: the folders to import from.
      places: of each class, its file, its qualified name, and ``module:attribute`` that is the class.
      vague: the classes for which "unknown" is right if they are no primitives.
    """

    files: dict[str, str]
    modules: tuple[str, ...]
    roots: tuple[str, ...]
    places: dict[int, tuple[str, str, str]]
    vague: frozenset[int]


def random_tree(graph: Sequence[Node], random: Random) -> Tree:
    """The classes of a graph in files."""
    return _Placer(graph, random).tree()


class _Placer:
    def __init__(self, graph: Sequence[Node], random: Random) -> None:
        self.graph = {node.number: node for node in graph}
        self.random = random
        self.ways = Ways(random)
        self.folders = {top: random.choice(("", "", "src/", "libs/one/src/")) for top in TOPS}
        self.modules: dict[str, Module] = {}
        self.places: dict[int, tuple[str, str, str]] = {}
        self.vague: set[int] = set()

    def tree(self) -> Tree:
        slots = sorted(self.random.randrange(len(SLOTS)) for _ in self.graph)
        for position, (slot, number) in enumerate(zip(slots, sorted(self.graph), strict=True)):
            module = self._module(SLOTS[slot])
            self._define(self.graph[number], module)
            following = SLOTS[slots[position + 1]] if position + 1 < len(slots) else ""
            if following != module.name:
                if not module.is_package:
                    self._close(module)
                self._finish_packages(module.name, following)
        files = {module.path: module.source() for module in self.modules.values()}
        if self.ways.shim is not None:
            files["shim.py"] = "".join(f"{line}\n" for line in self.ways.shim.lines)
        roots = tuple(sorted({"", *self.folders.values()}))
        return Tree(files, tuple(self.modules), roots, self.places, frozenset(self.vague))

    def _module(self, name: str) -> Module:
        folder = self.folders.get(name.partition(".")[0], "")
        # `import *` of a package takes its modules, too, whose names are those of modules elsewhere.
        is_package = name in PACKAGES
        return self.modules.setdefault(name, Module(name, folder, is_package, may_be_starred=not is_package))

    # Classes -----------------------------------------------------------------------------------------------------

    def _define(self, node: Node, module: Module) -> None:
        """The imports that a class needs and its statement; in a function, all of it."""
        lines: list[str] = []
        bases = [self._base(number, module, lines, node) for number in node.bases]
        if not self.vague.isdisjoint(node.bases):
            self.vague.add(node.number)
        if node.is_generic:
            lines += ["from typing import Generic, TypeVar", "T = TypeVar('T')"]
            bases.append("Generic[T]")
        if node.has_metaclass:
            lines.append("import abc")
            bases.append("metaclass=abc.ABCMeta")
        body = "def vjp_fwd(self, nzs, x): return x, x" if node.has_rule else "pass"
        statement = [f"class {node.name}({', '.join(bases)}):", f"    {body}"]
        if node.outer:
            statement = [f"class {node.outer}:", *(f"    {line}" for line in statement)]
        if node.is_local:
            self._define_in_function(node, module, [*lines, *statement])
            return
        module.lines += [*lines, *statement]
        module.binds[node.outer or node.name] = node.number
        self.places[node.number] = (module.path, node.path, f"{module.name}:{node.path}")
        if self.random.random() < 0.2 and not node.outer:
            alias = self.ways.fresh("Alias")
            module.lines.append(f"{alias} = {node.name}")
            module.binds[alias] = node.number

    def _define_in_function(self, node: Node, module: Module, lines: list[str]) -> None:
        make, made = f"make{node.number}", f"_made{node.number}"
        inner = [f"    {line}" for line in (*lines, f"return {node.name}")]
        module.lines += [f"def {make}():", *inner, f"{made} = {make}()"]
        self.places[node.number] = (module.path, f"{make}.<locals>.{node.path}", f"{module.name}:{made}")

    def _base(self, number: int, module: Module, lines: list[str], user: Node) -> str:
        """The text of a base; what has to run before is added to ``lines``."""
        way = self.ways.root(in_function=user.is_local) if number == ROOT else self._reach(number, module, user)
        lines += way.lines
        if way.is_vague:
            self.vague.add(user.number)
        text = way.text
        if number != ROOT and self.graph[number].is_generic and self.random.random() < 0.5:
            return f"{text}[int]"
        if self.random.random() < 0.2:
            alias = self.ways.fresh("Base")
            lines.append(self.random.choice((f"{alias} = {text}", f"{alias}: type = {text}", f"({alias} := {text})")))
            return alias
        return text

    def _reach(self, number: int, module: Module, user: Node | None) -> Way:
        """A way to a class, from any module that binds it by now."""
        sources = self._sources(number, module, user)
        source, name = self.random.choice(sources)
        in_function = user is not None and user.is_local
        way = self.ways.reach(source, name, self.graph[number], module, in_function=in_function)
        if user is None and way.is_vague:
            return self._reach(number, module, user)
        if not in_function:
            self._bind(way, source, number, module)
        return way

    def _sources(self, number: int, module: Module, user: Node | None) -> list[tuple[Module, str]]:
        """Where a class is bound; an ``__init__`` that re-exports looks inside its package only."""
        return [
            (source, name)
            for source in self.modules.values()
            if user is not None or source.name.startswith(f"{module.name}.")
            for name, bound in source.binds.items()
            # What the package had before, its modules may have got from it.
            if bound == number and (user is not None or name not in module.binds)
        ]

    def _bind(self, way: Way, source: Module, number: int, module: Module) -> None:
        if way.binds == "*":
            module.binds.update(source.starred())
        elif way.binds and not way.is_vague:
            module.binds[way.binds] = number
        if way.leaves_module:
            module.may_be_starred = False

    # Packages ----------------------------------------------------------------------------------------------------

    def _close(self, module: Module) -> None:
        """Maybe an ``__all__``, at the top or at the end; private names may be in it and public ones not."""
        if self.random.random() < 0.4:
            module.public = [name for name in module.binds if self.random.random() < 0.7]
            line = f"__all__ = {self.random.choice((list, tuple))(module.public)!r}"
            module.lines.insert(0 if self.random.random() < 0.5 else len(module.lines), line)

    def _finish_packages(self, module: str, following: str) -> None:
        """Write the ``__init__`` of each package that the next module is not in."""
        parts = module.split(".")
        for count in range(len(parts), 0, -1):
            name = ".".join(parts[:count])
            if name in PACKAGES and not f"{following}.".startswith(f"{name}."):
                if name in self.modules or self.random.random() < 0.85:
                    self._finish(self._module(name))

    def _finish(self, package: Module) -> None:
        for number in sorted(self.graph):
            if self._sources(number, package, None) and self.random.random() < 0.5:
                way = self._reach(number, package, None)
                package.lines += way.lines
                if not way.binds and way.lines and not self.graph[number].outer:
                    alias = self.ways.fresh("Public")
                    package.lines.append(f"{alias} = {way.text}")
                    package.binds[alias] = number
        self._close(package)
