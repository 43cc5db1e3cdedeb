"""Decide what a ``vjp_bwd`` body is: returns cotangents, accumulates, logs, or something that only a person can tell.

Why it matters (measured on the released wheels): a returned tuple is a ``TypeError`` from jax 0.11.1 and a bare
``AssertionError`` before; a returned dict is taken for log entries from 0.11.1, so the gradients are silently zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import libcst as cst

from codemods.hijax.function import always_exits, is_stub
from codemods.hijax.values import SEQUENCES, Names, Value, ValueKind, Values


class BwdForm(Enum):
    """What a ``vjp_bwd`` body is."""

    COTANGENTS = "returns cotangents"
    ACCUMULATES = "accumulates"
    LOGS = "accumulates and logs"
    DICT = "returns a dict"
    BOTH = "accumulates and returns cotangents"
    NOTHING = "neither accumulates nor returns"
    STUB = "stub"
    GENERATOR = "generator"
    ASYNC = "async"
    UNCLEAR = "unclear"


class AccumulatorUse(Enum):
    """How far a body goes with its accumulator parameters."""

    NONE = "not used"
    READ = "read"
    PASSED = "passed on"
    ACCUMULATED = "accumulated"


@dataclass(frozen=True)
class RuleParameters:
    """The parameters of a ``vjp_bwd``: how many come before the accumulators (``self`` included), and the rest.

    ``named`` are accumulator parameters in order, ``star`` is ``*arg_accums``.
    """

    lead: int
    named: tuple[str, ...]
    star: str | None

    @property
    def accumulators(self) -> tuple[str, ...]:
        return self.named if self.star is None else (*self.named, self.star)


@dataclass(frozen=True)
class ReturnSite:
    """One ``return`` of a rule and what it returns."""

    node: cst.Return
    value: Value


@dataclass(frozen=True)
class Backward:
    """A classified body. ``unclear_at`` is the return (or the function) that could not be told."""

    form: BwdForm
    returns: tuple[ReturnSite, ...] = ()
    use: AccumulatorUse = AccumulatorUse.NONE
    unclear_at: cst.CSTNode | None = None
    untouched: tuple[str, ...] = ()


# `pull.with_refs(*accs)(g)` lets an inner backward pass fill them.
_FILLS = ("accum", "addupdate", "with_refs")


def rule_parameters(params: cst.Parameters, structured: bool) -> RuleParameters | None:
    """The parameters of a backward rule, or None where the signature does not name ``res`` and ``g``.

    Args:
      structured: ``vjp_fwd`` returns structured residuals (jax 0.11.1+): then the rule is ``(self, res, sres, g,
        *accums)``.
    """
    positional = [*params.posonly_params, *params.params]
    lead = 4 if structured else 3
    if len(positional) < lead:
        return None
    star = params.star_arg.name.value if isinstance(params.star_arg, cst.Param) else None
    return RuleParameters(lead, tuple(p.name.value for p in positional[lead:]), star)


def classify(function: cst.FunctionDef, names: Names, parameters: RuleParameters) -> Backward:
    """Decide from all returns and from every use of the accumulators."""
    values = Values(function, names)
    if function.asynchronous is not None:
        return Backward(BwdForm.ASYNC)
    if values.body.is_generator:
        return Backward(BwdForm.GENERATOR)
    if is_stub(function):
        return Backward(BwdForm.STUB)
    uses = _AccumulatorUses(parameters.accumulators, names)
    function.body.visit(uses)
    untouched = tuple(n for n in parameters.named if n not in uses.mentioned and not n.startswith("_"))
    returns = tuple(ReturnSite(node, values.of(node.value)) for node in values.body.returns)
    form, unclear = _form(function, returns, uses.use)
    return Backward(form, returns, uses.use, unclear, untouched)


def _form(
    function: cst.FunctionDef, returns: tuple[ReturnSite, ...], use: AccumulatorUse
) -> tuple[BwdForm, cst.CSTNode | None]:
    accumulates = use in (AccumulatorUse.ACCUMULATED, AccumulatorUse.PASSED)
    valued = [site for site in returns if site.value.kind is not ValueKind.NONE]
    if not valued:
        return (BwdForm.ACCUMULATES if accumulates else BwdForm.NOTHING), None
    unknown = next((site for site in valued if site.value.kind is ValueKind.UNKNOWN), None)
    if unknown is not None:
        return BwdForm.UNCLEAR, unknown.node
    dicts = [site for site in valued if site.value.kind is ValueKind.DICT]
    if dicts and len(dicts) < len(valued):
        return BwdForm.UNCLEAR, dicts[0].node
    if dicts:
        return (BwdForm.LOGS if accumulates else BwdForm.DICT), dicts[0].node
    if use is AccumulatorUse.ACCUMULATED:
        return BwdForm.BOTH, valued[0].node
    if use is AccumulatorUse.PASSED:
        return BwdForm.UNCLEAR, valued[0].node
    if len(valued) < len(returns):
        # On one path nothing is returned: as a vjp_bwd that is a zero gradient, as a vjp_bwd_retval an error.
        return BwdForm.UNCLEAR, next(site.node for site in returns if site.value.kind is ValueKind.NONE)
    return (BwdForm.COTANGENTS, None) if always_exits(function.body) else (BwdForm.UNCLEAR, function)


def is_sequence(value: Value) -> bool:
    """Whether a value is certainly a tuple or a list."""
    return value.kind in SEQUENCES


class _AccumulatorUses(cst.CSTVisitor):
    """What a body does with its accumulators, nested functions included."""

    def __init__(self, accumulators: tuple[str, ...], names: Names) -> None:
        super().__init__()
        self.names = set(accumulators)
        self.resolver = names
        self.mentioned: set[str] = set()
        self.use = AccumulatorUse.NONE
        self._reading = 0

    def _raise_to(self, use: AccumulatorUse) -> None:
        order = list(AccumulatorUse)
        self.use = max(self.use, use, key=order.index)

    def visit_Del(self, node: cst.Del) -> bool:
        deleted = _Names()
        node.visit(deleted)
        self.mentioned |= deleted.found & self.names
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        if self.resolver.is_rule_call(node):
            # Handing accumulators to a rule of the same hierarchy: what that means depends on that rule.
            mentioned = _Names()
            for arg in node.args:
                arg.visit(mentioned)
            self.mentioned |= mentioned.found & self.names
            return False
        # `lambda acc, ct: acc.accum(ct)` mapped over the accumulators counts; without any there is nothing to fill.
        if self.names and isinstance(node.func, cst.Attribute) and node.func.attr.value in _FILLS:
            self._raise_to(AccumulatorUse.ACCUMULATED)
        if _is_test(node):
            self._reading += 1
        return True

    def leave_Call(self, original_node: cst.Call) -> None:
        if _is_test(original_node) and not self.resolver.is_rule_call(original_node):
            self._reading -= 1

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self._reading += 1

    def leave_Comparison(self, original_node: cst.Comparison) -> None:
        self._reading -= 1

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if isinstance(node.value, cst.Name) and node.value.value in self.names:
            self.mentioned.add(node.value.value)
            fills = node.attr.value in ("accum", "addupdate", "ref")
            self._raise_to(AccumulatorUse.ACCUMULATED if fills else AccumulatorUse.READ)
            return False
        return True

    def visit_Name(self, node: cst.Name) -> None:
        if node.value in self.names:
            self.mentioned.add(node.value)
            self._raise_to(AccumulatorUse.READ if self._reading else AccumulatorUse.PASSED)


class _Names(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.found.add(node.value)


def _is_test(node: cst.Call) -> bool:
    return isinstance(node.func, cst.Name) and node.func.value in ("isinstance", "type", "len", "id", "hasattr")
