"""Calls of ``vjp_bwd``: which rule they run, and why a call cannot follow the migration of its rule."""

from __future__ import annotations

import libcst as cst

from codemods.edits.definitions import Definition
from codemods.edits.problems import Problem
from codemods.hijax.backward import BwdForm
from codemods.hijax.values import ValueKind
from codemods.project.facts import ClassKey, Ref, RefKind
from codemods.project.scan import RuleUse
from codemods.project.unit import ClassView, ModuleIndex, Unit
from codemods.types import BwdStyle


def receiver(unit: Unit, use: RuleUse) -> tuple[Ref, ClassView] | None:
    """The one class that a receiver certainly is, is an instance of, or is ``super()`` in."""
    ref = next(iter(use.receiver)) if len(use.receiver) == 1 else None
    view = unit.modules[use.path].class_of(ref) if ref is not None else None
    return (ref, view) if ref is not None and view is not None else None


def called_classes(unit: Unit, use: RuleUse) -> list[ClassKey]:
    """The classes whose own ``vjp_bwd`` a use may run; empty where the receiver is not certain."""
    found = receiver(unit, use)
    if found is None:
        return []
    ref, view = found
    lineage = view.lineage[1:] if ref.kind is RefKind.SUPER else view.lineage
    below: list[ClassView] = []
    if ref.kind is RefKind.SUPER or ref.name == "self":
        # An override may run; and a mixin's `super()` and `self` may lead to any class beside it.
        below = [one for heir in view.descendants for one in heir.lineage]
    if ref.kind is RefKind.SUPER:
        below = [one for one in below if one not in lineage and one is not view]
    return [one.key for one in (*lineage, *below) if one.own("vjp_bwd")]


def call_of(unit: Unit, use: RuleUse) -> cst.Call | None:
    """The call whose function is this attribute."""
    return next((call for call, _ in unit.modules[use.path].calls if call.func is use.node), None)


def lead_arguments(use: RuleUse, definition: Definition) -> int:
    """How many positional arguments of a call come before the accumulators."""
    lead = definition.parameters.lead if definition.parameters is not None else 3
    is_unbound = next(iter(use.receiver)).kind in (RefKind.CLASS, RefKind.SYMBOL)
    return lead if is_unbound else lead - 1


def use_symbol(unit: Unit, use: RuleUse) -> str:
    """The method or function in which a rule is called, for reports."""
    name = use.function.name.value if use.function is not None else "<module>"
    classes = unit.modules[use.path].classes
    return f"{classes[use.enclosing_class].qualname}.{name}" if use.enclosing_class >= 0 else name


def call_problem(unit: Unit, definitions: list[Definition], style: BwdStyle, use: RuleUse) -> Problem | None:
    """Why a use of the rule cannot follow its migration."""
    call = call_of(unit, use)
    message = "this use of `vjp_bwd` cannot follow the migration of the rule"
    if call is None:
        return Problem(use.node, "caller", f"{message}: it is not a call", "call the rule directly, then run again")
    lead = lead_arguments(use, definitions[0])
    first, rest = call.args[:lead], call.args[lead:]
    if len(first) < lead or any(arg.star or arg.keyword is not None for arg in first):
        help_text = "pass residuals and cotangent by position, then run again"
        return Problem(use.node, "caller", f"{message}: its arguments cannot be told apart", help_text)
    if not all(_is_plain(arg.value) for arg in rest):
        help_text = "pass accumulators as plain names, then run again"
        return Problem(use.node, "caller", f"{message}: dropping its accumulators would drop a computation", help_text)
    called = [d for d in definitions if d.view.key in called_classes(unit, use)]
    movers = [d for d in called if d.form is BwdForm.COTANGENTS]
    if style is BwdStyle.RETVAL:
        return _kind_problem(unit.modules[use.path], movers, use, call)
    if is_returned(definitions, call):
        return None
    if not movers and rest and isinstance(unit.modules[use.path].parent_of(call), cst.Expr):
        return None
    return Problem(
        use.node,
        "caller-uses-value",
        "this call uses the cotangents that the rule will no longer return once it accumulates",
        "move the computation into a helper that both call, then run again",
    )


def _kind_problem(module: ModuleIndex, movers: list[Definition], use: RuleUse, call: cst.Call) -> Problem | None:
    """A caller that may depend on getting a list or a single value, where the rule will return a tuple."""
    kinds = {site.value.kind for d in movers for site in d.backward.returns} - {ValueKind.TUPLE, ValueKind.RULE_CALL}
    parent = module.parent_of(call)
    if not kinds or isinstance(parent, (cst.Return, cst.Expr)):
        return None
    if ValueKind.LEAF not in kinds and _takes_any_sequence(parent):
        return None
    return Problem(
        use.node,
        "caller",
        "this caller may depend on the list or single value that the rule will return as a tuple",
        "let the rule return a tuple first, then run again",
    )


_ANY_SEQUENCE = ("tuple", "list", "len", "zip", "enumerate", "map", "sum", "sorted", "reversed")


def _takes_any_sequence(parent: cst.CSTNode | None) -> bool:
    """Whether a place takes a tuple as well as a list: unpacking, indexing, a loop, ``tuple(…)`` and the like."""
    if isinstance(parent, cst.Assign):
        return all(isinstance(target.target, (cst.Tuple, cst.List)) for target in parent.targets)
    if isinstance(parent, cst.Call):
        return isinstance(parent.func, cst.Name) and parent.func.value in _ANY_SEQUENCE
    return isinstance(parent, (cst.Subscript, cst.For, cst.CompFor, cst.StarredElement))


def is_returned(definitions: list[Definition], call: cst.Call) -> bool:
    """Whether a call is what a migrated rule returns, so that it can hand its accumulators on."""
    returned = [s.node.value for d in definitions if d.form is BwdForm.COTANGENTS for s in d.backward.returns]
    return any(call is arm for node in returned if node is not None for arm in _arms(node))


def _arms(node: cst.BaseExpression) -> list[cst.BaseExpression]:
    return [*_arms(node.body), *_arms(node.orelse)] if isinstance(node, cst.IfExp) else [node]


def _is_plain(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Subscript):
        return _is_plain(node.value)
    if isinstance(node, cst.Attribute):
        return _is_plain(node.value)
    return isinstance(node, cst.Name)
