"""What names in one function refer to, after its module has run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.hijax.values import Names
from codemods.project.facts import RefKind
from codemods.project.scope import Scope, dotted_name, evaluate

if TYPE_CHECKING:
    from codemods.project.unit import ClassView, ModuleIndex

_KEEPS_SIGNATURE = {"staticmethod", "classmethod"}


class ScopeNames:
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
