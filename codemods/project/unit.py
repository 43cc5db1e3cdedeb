"""Ask parsed modules that belong together: their classes with what they inherit, what names in functions refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from codemods.hijax.inputs import Inputs, InputSources, read_inputs
from codemods.hijax.values import Names, Value, ValueKind, Values
from codemods.project.facts import ClassKey, ModuleFacts, Ref, RefKind, Refs
from codemods.project.finders import Calls, NameCounter, Parents
from codemods.project.members import MemberDef
from codemods.project.modules import ModuleTable
from codemods.project.names import ScopeNames
from codemods.project.resolve import ResolvedClass, Resolver
from codemods.project.scan import RuleUse, ScannedClass, ScannedModule
from codemods.project.scope import dotted_name, evaluate


class Unit:
    """Modules that are looked at, and changed, together.

    ``resolver`` may know more modules than these; classes of such modules are not seen as views. ``writable`` are the
    paths that may be changed.
    """

    def __init__(self, modules: Iterable[ScannedModule], resolver: Resolver, writable: Iterable[str]) -> None:
        self.resolver = resolver
        self.writable = frozenset(writable)
        self.modules = {m.path: ModuleIndex(self, m) for m in sorted(modules, key=lambda m: m.path)}

    @classmethod
    def of_one(cls, scanned: ScannedModule) -> Unit:
        """A unit of one file on its own: what leads out of it is unknown."""
        facts: Mapping[str, ModuleFacts] = {scanned.path: scanned.facts}
        return cls([scanned], Resolver(ModuleTable([scanned.path]), facts.get), [scanned.path])

    @cached_property
    def classes(self) -> list[ClassView]:
        """Every class, by path and position in the file."""
        return [view for module in self.modules.values() for view in module.classes]

    @cached_property
    def uses(self) -> list[RuleUse]:
        """Every ``….vjp_bwd``."""
        return [use for module in self.modules.values() for use in module.scanned.uses]

    def view(self, key: ClassKey) -> ClassView | None:
        """The class, if its module is part of the unit."""
        module = self.modules.get(key.path)
        return module.classes[key.index] if module is not None else None

    @cached_property
    def _below(self) -> dict[ClassKey, list[ClassView]]:
        below: dict[ClassKey, list[ClassView]] = {}
        for view in self.classes:
            for key in view.resolved.lineage[1:]:
                below.setdefault(key, []).append(view)
        return below

    def descendants(self, key: ClassKey) -> list[ClassView]:
        """The classes that inherit from a class, through however many files."""
        return self._below.get(key, [])


class ModuleIndex:
    """One module of a unit."""

    def __init__(self, unit: Unit, scanned: ScannedModule) -> None:
        self.unit = unit
        self.scanned = scanned
        self.path = scanned.path
        self.classes = [
            ClassView(self, c, unit.resolver.resolve(ClassKey(scanned.path, c.fact.index))) for c in scanned.classes
        ]

    def names_in(self, function: cst.FunctionDef, owner: ClassView | None = None, *, is_rule: bool = False) -> Names:
        """The resolver for names in ``function``, called on class ``owner``; ``is_rule`` if it is its backward rule."""
        return ScopeNames(self, self.scanned.function_scopes[function], owner, function if is_rule else None)

    @cached_property
    def calls(self) -> list[tuple[cst.Call, cst.FunctionDef | None]]:
        """Every call of the module with the innermost function around it."""
        finder = Calls()
        self.scanned.module.visit(finder)
        return finder.found

    @cached_property
    def name_counts(self) -> dict[str, int]:
        """How often each name is written in the module, attributes left out."""
        counter = NameCounter()
        self.scanned.module.visit(counter)
        return counter.counts

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        finder = Parents()
        self.scanned.module.visit(finder)
        return finder.found

    def parent_of(self, call: cst.Call) -> cst.CSTNode | None:
        """What a call stands in; of an argument, the call that it is an argument of."""
        parent = self._parents.get(call)
        return self._parents.get(parent) if isinstance(parent, cst.Arg) else parent

    def function_of(self, refs: Refs) -> cst.FunctionDef | None:
        """The one function of this module that ``refs`` certainly stand for."""
        if len(refs) != 1:
            return None
        ref = next(iter(refs))
        return self.scanned.functions[ref.index] if ref.kind is RefKind.FUNCTION else None

    def class_of(self, ref: Ref) -> ClassView | None:
        """The class of the unit that a reference of this module stands for, is an instance of, or is ``super()`` in."""
        if ref.kind in (RefKind.CLASS, RefKind.INSTANCE, RefKind.SUPER):
            return self.classes[ref.index]
        if ref.kind in (RefKind.SYMBOL, RefKind.MADE):
            targets = self.unit.resolver.symbol(ref.name, self.path)
            target = next(iter(targets)) if len(targets) == 1 else None
            return self.unit.view(target) if isinstance(target, ClassKey) else None
        return None


@dataclass(frozen=True)
class Found:
    """A member found along the method resolution order: the class that defines it and all its definitions there."""

    owner: ClassView
    members: tuple[MemberDef, ...]

    @property
    def last(self) -> MemberDef:
        return self.members[-1]

    @property
    def method(self) -> cst.FunctionDef | None:
        """The method, if it is defined once and as a plain ``def``."""
        return self.last.function if len(self.members) == 1 else None


class ClassView:
    """A class with what it inherits inside its unit."""

    def __init__(self, index: ModuleIndex, scanned: ScannedClass, resolved: ResolvedClass) -> None:
        self.module = index
        self.scanned = scanned
        self.resolved = resolved

    @property
    def key(self) -> ClassKey:
        return self.resolved.key

    @property
    def qualname(self) -> str:
        return self.scanned.fact.qualname

    @property
    def node(self) -> cst.ClassDef:
        return self.scanned.node

    @property
    def is_primitive(self) -> bool:
        return self.resolved.is_primitive

    @property
    def unknown_bases(self) -> tuple[str, ...]:
        """The bases that could not be found; then the lineage may lack classes."""
        return self.resolved.unknown_bases

    @property
    def lineage(self) -> list[ClassView]:
        """The classes of the unit in method resolution order, itself first."""
        views = (self.module.unit.view(key) for key in self.resolved.lineage)
        return [view for view in views if view is not None]

    @property
    def descendants(self) -> list[ClassView]:
        return self.module.unit.descendants(self.key)

    def own(self, name: str) -> tuple[MemberDef, ...]:
        """The definitions of ``name`` in the class body itself."""
        return tuple(member for member in self.scanned.members if member.name == name)

    def find(self, name: str) -> Found | None:
        """The first class in method resolution order that defines ``name``."""
        for view in self.lineage:
            members = view.own(name)
            if members:
                return Found(view, members)
        return None

    def is_assigned_outside(self, name: str) -> bool:
        """Whether ``Class.name = …`` or ``setattr`` sets it for this class or one that it inherits from."""
        return any(attr == name for view in self.lineage for attr, _ in view.scanned.outside)

    def method_with_names(self, name: str) -> tuple[cst.FunctionDef, Names] | None:
        """A plain, undecorated method and the resolver of its names."""
        found = self.find(name)
        if found is None or found.method is None or found.method.decorators:
            return None
        return found.method, found.owner.module.names_in(found.method, self)

    @cached_property
    def has_structured_residuals(self) -> bool:
        """Whether ``vjp_fwd`` returns four values (jax 0.11.1+): then the backward rule gets ``res, sres, g``."""
        fwd = self.method_with_names("vjp_fwd")
        if fwd is None:
            return False
        values = Values(*fwd)
        return any(values.of(node.value) == Value(ValueKind.TUPLE, 4) for node in values.body.returns)

    @cached_property
    def stores_pullback(self) -> bool:
        """Whether the residuals of ``vjp_fwd`` certainly are the pullback of a ``jax.vjp`` call."""
        fwd = self.method_with_names("vjp_fwd")
        return fwd is not None and Values(*fwd).returns_pullback()

    @cached_property
    def inputs(self) -> Inputs:
        """What is certain about the primitive's inputs."""
        sources = InputSources(
            self.method_with_names("expand"),
            self.method_with_names("vjp_fwd"),
            self.method_with_names("__init__"),
            tuple(self._constructions()),
        )
        return read_inputs(sources)

    def _constructions(self) -> list[tuple[cst.Call, Names]]:
        short = self.qualname.rpartition(".")[2]
        found: list[tuple[cst.Call, Names]] = []
        for module in self.module.unit.modules.values():
            for call, function in module.calls:
                if function is None or (dotted_name(call.func) or "").rpartition(".")[2] != short:
                    continue
                refs = evaluate(call.func, module.scanned.function_scopes[function])
                if len(refs) == 1 and module.class_of(next(iter(refs))) is self:
                    found.append((call, module.names_in(function)))
        return found
