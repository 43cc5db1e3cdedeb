"""Ask parsed modules that belong together: their classes with what they inherit, what names in functions refer to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from codemods.hijax.inputs import Inputs, InputSources, read_inputs
from codemods.hijax.values import Names, Value, ValueKind, Values
from codemods.project.facts import ClassKey, ModuleFacts, Ref, RefKind, Refs
from codemods.project.members import MemberDef
from codemods.project.modules import ModuleTable
from codemods.project.resolve import ResolvedClass, Resolver
from codemods.project.scan import RuleUse, ScannedClass, ScannedModule
from codemods.project.scope import Scope, dotted_name, evaluate

_KEEPS_SIGNATURE = {"staticmethod", "classmethod"}


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
        return _ScopeNames(self, self.scanned.function_scopes[function], owner, function if is_rule else None)

    @cached_property
    def calls(self) -> list[tuple[cst.Call, cst.FunctionDef | None]]:
        """Every call of the module with the innermost function around it."""
        finder = _Calls()
        self.scanned.module.visit(finder)
        return finder.found

    @cached_property
    def name_counts(self) -> dict[str, int]:
        """How often each name is written in the module, attributes left out."""
        counter = _NameCounter()
        self.scanned.module.visit(counter)
        return counter.counts

    @cached_property
    def _parents(self) -> dict[cst.CSTNode, cst.CSTNode]:
        finder = _Parents()
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


class _ScopeNames:
    """Names as one function sees them after its module has run."""

    def __init__(self, index: ModuleIndex, scope: Scope, owner: ClassView | None, rule: cst.FunctionDef | None) -> None:
        self.index = index
        self.scope = scope
        self.rule = rule
        around = scope.enclosing_class()
        self.owner = owner if owner is not None or around < 0 else index.classes[around]

    def symbol(self, node: cst.BaseExpression) -> str | None:
        if dotted_name(node) is None:
            return None
        names = {ref.name if ref.kind is RefKind.SYMBOL else None for ref in evaluate(node, self.scope)}
        return next(iter(names)) if len(names) == 1 else None

    def helper(self, node: cst.Call) -> tuple[cst.FunctionDef, Names] | None:
        if isinstance(node.func, cst.Attribute):
            return self._method(node.func)
        function = self.index.function_of(evaluate(node.func, self.scope))
        if function is None or function.decorators:
            return None
        return function, self.index.names_in(function)

    def _method(self, node: cst.Attribute) -> tuple[cst.FunctionDef, Names] | None:
        view = self._instance(node.value)
        if view is None:
            return None
        found = view.find(node.attr.value)
        if found is None or found.method is None or view.is_assigned_outside(node.attr.value):
            return None
        if any(below.own(node.attr.value) for below in view.descendants):
            return None  # which override runs depends on the instance
        if any(dotted_name(d.decorator) not in _KEEPS_SIGNATURE for d in found.method.decorators):
            return None
        return found.method, found.owner.module.names_in(found.method, view)

    def _instance(self, node: cst.BaseExpression) -> ClassView | None:
        refs = evaluate(node, self.scope)
        ref = next(iter(refs)) if len(refs) == 1 else None
        if ref is None or ref.kind not in (RefKind.INSTANCE, RefKind.MADE):
            return None
        return self.owner if ref.name == "self" and self.owner is not None else self.index.class_of(ref)

    def is_rule_call(self, node: cst.Call) -> bool:
        if not isinstance(node.func, cst.Attribute) or node.func.attr.value != "vjp_bwd":
            return False
        refs = evaluate(node.func.value, self.scope)
        ref = next(iter(refs)) if len(refs) == 1 else None
        view = self.index.class_of(ref) if ref is not None else None
        if ref is None or view is None or self.owner is None:
            return False
        lineage = view.lineage[1:] if ref.kind is RefKind.SUPER else view.lineage
        related = {one.key for heir in (self.owner, *self.owner.descendants) for one in heir.lineage}
        if ref.kind is RefKind.SUPER:  # a mixin's super() leads to the classes beside it
            lineage = [*lineage, *(one for heir in view.descendants for one in heir.lineage if one is not view)]
        return any(ancestor.own("vjp_bwd") and ancestor.key in related for ancestor in lineage)

    def residual_pullback(self, name: str) -> bool:
        if self.rule is None:
            return False
        positional = [*self.rule.params.posonly_params, *self.rule.params.params]
        is_residuals = len(positional) > 1 and positional[1].name.value == name
        return is_residuals and self.owner is not None and self.owner.stores_pullback


class _Calls(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[cst.Call, cst.FunctionDef | None]] = []
        self._functions: list[cst.FunctionDef] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._functions.append(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._functions.pop()

    def visit_Call(self, node: cst.Call) -> None:
        self.found.append((node, self._functions[-1] if self._functions else None))


class _Parents(cst.CSTVisitor):
    """The parent of every call, and of every argument."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[cst.CSTNode, cst.CSTNode] = {}
        self._stack: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if self._stack and isinstance(node, (cst.Call, cst.Arg)):
            self.found[node] = self._stack[-1]
        self._stack.append(node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self._stack.pop()


class _NameCounter(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.counts[node.value] = self.counts.get(node.value, 0) + 1
