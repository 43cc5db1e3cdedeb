"""Scopes and the value of expressions in them, as alternatives of what they may refer to."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from codemods.hijax.roots import BASE_NAMES, EXPORTS, MODULES, is_certainly_other
from codemods.project.facts import Ref, RefKind, Refs

_MAY_BE_CLASSES = (RefKind.CLASS, RefKind.SYMBOL, RefKind.STARRED)

OTHER: Refs = frozenset({Ref(RefKind.OTHER)})


def unknown(text: str) -> Refs:
    """The single alternative "cannot be told"."""
    return frozenset({Ref(RefKind.UNKNOWN, text)})


@dataclass
class Scope:
    """Names bound so far. ``kind`` is "module", "class" or "function"; ``class_index`` the class being defined.

    ``bodies`` holds what the classes that were defined so far bind, by class; all scopes of a module share it.
    """

    kind: str
    parent: Scope | None = None
    class_index: int = -1
    env: dict[str, Refs] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    function: cst.FunctionDef | None = None
    bodies: dict[int, dict[str, Refs]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.parent is not None:
            self.bodies = self.parent.bodies

    def lookup(self, name: str) -> Refs | None:
        """What ``name`` may refer to here, or None if it is bound nowhere. Class scopes are not seen from inside."""
        scope: Scope | None = self
        stars: list[str] = []
        while scope is not None:
            if (scope.kind != "class" or scope is self) and name in scope.env:
                return scope.env[name]
            stars += scope.stars
            scope = scope.parent
        return self._from_stars(name, stars)

    def _from_stars(self, name: str, stars: list[str]) -> Refs | None:
        hijax = next((star for star in stars if star in MODULES), None)
        if hijax is not None and name in EXPORTS and (hijax == stars[0] or name in BASE_NAMES):
            # Another star import could shadow its base class, but no other module is known to export such a name.
            return frozenset({Ref(RefKind.SYMBOL, f"{hijax}.{name}")})
        if is_certainly_other(f"builtins.{name}"):
            return frozenset({Ref(RefKind.SYMBOL, f"builtins.{name}")})
        if hijax is not None and len(stars) == 1 and not name.startswith("_"):
            return frozenset({Ref(RefKind.SYMBOL, f"{hijax}.{name}")})
        return frozenset({Ref(RefKind.STARRED, name)}) if stars else None

    def merge(self, left: dict[str, Refs], right: dict[str, Refs]) -> dict[str, Refs]:
        """What names may refer to after one of two branches ran."""
        merged = {}
        for name in {**left, **right}:
            merged[name] = frozenset(left[name] if name in left else self._outer(name))
            merged[name] |= right[name] if name in right else self._outer(name)
        return merged

    def _outer(self, name: str) -> Refs:
        """What a name that a branch does not bind stands for: a class body then reads the scope around it."""
        found = self.parent.lookup(name) if self.kind == "class" and self.parent is not None else None
        return found if found is not None else frozenset({Ref(RefKind.UNBOUND, name)})

    def snapshot(self) -> Scope:
        """A copy of what is visible now; later bindings do not show in it."""
        parent = self.parent.snapshot() if self.parent is not None else None
        return Scope(self.kind, parent, self.class_index, dict(self.env), list(self.stars), self.function, self.bodies)

    def enclosing_class(self) -> int:
        """The class whose body or method this scope is in, or -1."""
        scope: Scope | None = self
        while scope is not None:
            if scope.class_index >= 0:
                return scope.class_index
            scope = scope.parent
        return -1


def code_of(node: cst.CSTNode) -> str:
    """The source of a node."""
    return cst.Module(body=[]).code_for_node(node).strip()


def dotted_name(node: cst.CSTNode) -> str | None:
    """``a.b.c`` as text, or None for anything but names and attributes."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        left = dotted_name(node.value)
        return None if left is None else f"{left}.{node.attr.value}"
    return None


def evaluate(node: cst.BaseExpression, scope: Scope) -> Refs:
    """What an expression may refer to."""
    if isinstance(node, cst.Name):
        if node.value in ("None", "True", "False"):
            return OTHER
        found = scope.lookup(node.value)
        return unknown(node.value) if found is None else found
    if isinstance(node, cst.Attribute):
        return _attribute(node, node.attr.value, evaluate(node.value, scope), scope)
    if isinstance(node, cst.IfExp):
        return evaluate(node.body, scope) | evaluate(node.orelse, scope)
    if isinstance(node, cst.BooleanOperation):
        return evaluate(node.left, scope) | evaluate(node.right, scope)
    if isinstance(node, cst.NamedExpr):
        return evaluate(node.value, scope)
    if isinstance(node, cst.Subscript):
        # Base[T]: at run time the class behind it is the base (typing.Generic).
        if dotted_name(node.value) is None:
            return unknown(code_of(node))
        value = evaluate(node.value, scope)
        return frozenset(ref if _may_be_class(ref) else Ref(RefKind.UNKNOWN, code_of(node)) for ref in value)
    if isinstance(node, cst.Call):
        return _call(node, scope)
    if isinstance(node, (cst.BaseNumber, cst.BaseString, cst.Lambda)):  # what a container holds may be a class
        return OTHER
    return unknown(code_of(node))


def _may_be_class(ref: Ref) -> bool:
    """Whether a subscript of it can be a class; what ``sys.modules[…]`` is cannot be told."""
    return ref.kind in _MAY_BE_CLASSES and not (ref.kind is RefKind.SYMBOL and ref.name.startswith("sys."))


def _attribute(node: cst.BaseExpression, attr: str, values: Refs, scope: Scope) -> Refs:
    found: set[Ref] = set()
    for ref in values:
        nested = scope.bodies.get(ref.index, {}).get(attr, OTHER) if ref.kind is RefKind.CLASS else OTHER
        if all(inner.kind is RefKind.CLASS for inner in nested):
            found |= nested
            continue
        if ref.kind in (RefKind.SYMBOL, RefKind.STARRED):
            joiner = "" if ref.name.endswith(".") else "."
            found.add(Ref(ref.kind, f"{ref.name}{joiner}{attr}", origin=ref.origin))
        elif ref.kind is RefKind.UNBOUND:
            found.add(ref)
        else:
            found.add(Ref(RefKind.UNKNOWN, code_of(node)))
    return frozenset(found)


def _call(node: cst.Call, scope: Scope) -> Refs:
    args = [arg.value for arg in node.args if arg.star == "" and arg.keyword is None]
    if isinstance(node.func, cst.Name) and len(args) == len(node.args):
        builtin = scope.lookup(node.func.value)
        is_builtin = builtin == frozenset({Ref(RefKind.SYMBOL, f"builtins.{node.func.value}")})
        if node.func.value == "getattr" and is_builtin and len(args) in (2, 3):
            return _getattr(node, args, scope)
        if node.func.value == "super" and is_builtin and scope.enclosing_class() >= 0:
            return frozenset({Ref(RefKind.SUPER, index=scope.enclosing_class())})
    func = evaluate(node.func, scope)
    if func and all(ref.kind is RefKind.CLASS for ref in func):
        return frozenset(Ref(RefKind.INSTANCE, ref.name, ref.index) for ref in func)
    if any(ref.kind is RefKind.SYMBOL and ref.name.endswith("typing.cast") for ref in func) and len(args) == 2:
        return evaluate(args[1], scope)
    if func and all(ref.kind is RefKind.SYMBOL for ref in func):
        return frozenset(Ref(RefKind.MADE, ref.name) for ref in func)
    return unknown(code_of(node))


def _getattr(node: cst.Call, args: list[cst.BaseExpression], scope: Scope) -> Refs:
    if not isinstance(args[1], cst.SimpleString):
        return unknown(code_of(node))
    found = _attribute(node, str(args[1].evaluated_value), evaluate(args[0], scope), scope)
    if len(args) == 3:
        found |= evaluate(args[2], scope)
    return found
