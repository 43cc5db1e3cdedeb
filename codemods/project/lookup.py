"""Ask one parsed module: its classes with what they inherit, and what names in its functions refer to."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from codemods.hijax.function import read_body
from codemods.hijax.inputs import Inputs, InputSources, read_inputs
from codemods.hijax.values import Names, Values
from codemods.project.facts import Ref, RefKind, Refs
from codemods.project.members import MemberDef, MemberKind
from codemods.project.resolve import ResolvedClass, resolve
from codemods.project.scan import ScannedClass, ScannedModule, scan
from codemods.project.scope import Scope, dotted_name, evaluate

_KEEPS_SIGNATURE = {"staticmethod", "classmethod"}


class ModuleIndex:
    """A scanned and resolved module."""

    def __init__(self, module: cst.Module) -> None:
        self.module = module
        self.scanned: ScannedModule = scan(module)
        resolved = resolve(self.scanned.facts)
        self.classes = [ClassView(self, s, r) for s, r in zip(self.scanned.classes, resolved, strict=True)]

    def names_in(self, function: cst.FunctionDef, owner: int = -1) -> Names:
        """The resolver for names in ``function``, a rule of class ``owner``."""
        return _ScopeNames(self, self.scanned.function_scopes[function], function, owner)

    @cached_property
    def calls(self) -> list[tuple[cst.Call, cst.FunctionDef | None]]:
        """Every call of the module with the innermost function around it."""
        finder = _Calls()
        self.module.visit(finder)
        return finder.found

    @cached_property
    def name_counts(self) -> dict[str, int]:
        """How often each name is written in the module, attributes left out."""
        counter = _NameCounter()
        self.module.visit(counter)
        return counter.counts

    def function_of(self, refs: Refs) -> cst.FunctionDef | None:
        """The one function that ``refs`` certainly stand for."""
        if len(refs) != 1:
            return None
        ref = next(iter(refs))
        return self.scanned.functions[ref.index] if ref.kind is RefKind.FUNCTION else None


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
    """A class with what it inherits inside this module."""

    def __init__(self, index: ModuleIndex, scanned: ScannedClass, resolved: ResolvedClass) -> None:
        self.module = index
        self.scanned = scanned
        self.resolved = resolved

    @property
    def number(self) -> int:
        return self.resolved.index

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
    def lineage(self) -> list[ClassView]:
        """The classes of this module in method resolution order, itself first."""
        return [self.module.classes[number] for number in self.resolved.lineage]

    @property
    def descendants(self) -> list[ClassView]:
        return [self.module.classes[number] for number in sorted(self.resolved.descendants)]

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
        return found.method, self.module.names_in(found.method, self.number)

    @cached_property
    def has_structured_residuals(self) -> bool:
        """Whether ``vjp_fwd`` returns four values (jax 0.11.1+): then the backward rule gets ``res, sres, g``."""
        fwd = self.method_with_names("vjp_fwd")
        if fwd is None:
            return False
        values = [node.value for node in read_body(fwd[0]).returns]
        return any(isinstance(value, cst.Tuple) and len(value.elements) == 4 for value in values)

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
        for call, function in self.module.calls:
            if function is None or not isinstance(call.func, cst.Name) or call.func.value != short:
                continue
            scope = self.module.scanned.function_scopes[function]
            if scope.lookup(short) == frozenset({Ref(RefKind.CLASS, self.qualname, self.number)}):
                found.append((call, self.module.names_in(function)))
        return found


class _ScopeNames:
    """Names as one function sees them after its module has run."""

    def __init__(self, index: ModuleIndex, scope: Scope, function: cst.FunctionDef, owner: int) -> None:
        self.index = index
        self.scope = scope
        self.function = function
        self.owner = owner if owner >= 0 else scope.enclosing_class()

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
        receiver = self._instance(node.value)
        if receiver is None:
            return None
        view = self.index.classes[receiver]
        found = view.find(node.attr.value)
        if found is None or found.method is None or view.is_assigned_outside(node.attr.value):
            return None
        if any(below.own(node.attr.value) for below in view.descendants):
            return None  # which override runs depends on the instance
        if any(dotted_name(d.decorator) not in _KEEPS_SIGNATURE for d in found.method.decorators):
            return None
        return found.method, self.index.names_in(found.method, receiver)

    def _instance(self, node: cst.BaseExpression) -> int | None:
        refs = evaluate(node, self.scope)
        ref = next(iter(refs)) if len(refs) == 1 else None
        if ref is None or ref.kind is not RefKind.INSTANCE:
            return None
        is_self = ref.name == "self"
        return self.owner if is_self and self.owner >= 0 else ref.index

    def is_rule_call(self, node: cst.Call) -> bool:
        if not isinstance(node.func, cst.Attribute) or node.func.attr.value != "vjp_bwd":
            return False
        refs = evaluate(node.func.value, self.scope)
        ref = next(iter(refs)) if len(refs) == 1 else None
        if ref is None or ref.kind not in (RefKind.INSTANCE, RefKind.SUPER):
            return False
        lineage = self.index.classes[ref.index].lineage
        return any(view.own("vjp_bwd") for view in (lineage[1:] if ref.kind is RefKind.SUPER else lineage))

    def residual_pullback(self, name: str) -> bool:
        positional = [*self.function.params.posonly_params, *self.function.params.params]
        is_residuals = len(positional) > 1 and positional[1].name.value == name
        return is_residuals and self.owner >= 0 and self.index.classes[self.owner].stores_pullback


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


class _NameCounter(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.counts[node.value] = self.counts.get(node.value, 0) + 1


__all__ = ["ClassView", "Found", "MemberKind", "ModuleIndex"]
