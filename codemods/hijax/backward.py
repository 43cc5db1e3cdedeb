"""Decide what a ``vjp_bwd`` body is: returns cotangents, accumulates, logs, or something that only a person can tell.

Why it matters (measured on the released wheels): a returned tuple is a ``TypeError`` from jax 0.11.1 and a bare
``AssertionError`` before; a returned dict is taken for log entries from 0.11.1, so the gradients are silently zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import libcst as cst

from codemods.hijax.function import always_exits, is_stub, names_in
from codemods.hijax.values import Names, Value, ValueKind, Values, is_local


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
    """A classified body.

    ``unclear_at`` is the return (or the function) that could not be told, ``untouched`` are named accumulators that are
    never used, ``not_accumulators`` parameters in the place of accumulators that are used as something else.
    """

    form: BwdForm
    returns: tuple[ReturnSite, ...] = ()
    use: AccumulatorUse = AccumulatorUse.NONE
    unclear_at: cst.CSTNode | None = None
    untouched: tuple[str, ...] = ()
    not_accumulators: tuple[str, ...] = ()


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
    uses = _AccumulatorUses(function, parameters.accumulators, names)
    function.body.visit(uses)
    untouched = tuple(n for n in parameters.named if n not in uses.mentioned and not n.startswith("_"))
    returns = tuple(ReturnSite(node, values.of(node.value)) for node in values.body.returns)
    form, unclear = _form(function, returns, uses.use)
    return Backward(form, returns, uses.use, unclear, untouched, tuple(sorted(uses.not_accumulators)))


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


class _AccumulatorUses(cst.CSTVisitor):
    """What a body does with its accumulators, nested functions included."""

    def __init__(self, function: cst.FunctionDef, accumulators: tuple[str, ...], names: Names) -> None:
        super().__init__()
        self.function = function
        # `_` is used for anything that is not needed.
        self.names = {name for name in accumulators if name.strip("_")}
        self.resolver = names
        self.mentioned: set[str] = set()
        self.not_accumulators: set[str] = set()
        self.use = AccumulatorUse.NONE
        self._only_read: set[cst.CSTNode] = set()

    def _raise_to(self, use: AccumulatorUse) -> None:
        order = list(AccumulatorUse)
        self.use = max(self.use, use, key=order.index)

    def visit_Del(self, node: cst.Del) -> bool:
        self.mentioned |= set(names_in(node)) & self.names
        return False

    def visit_Call(self, node: cst.Call) -> bool:
        if self.resolver.is_rule_call(node):
            # Handing accumulators to a rule of the same hierarchy: what that means depends on that rule.
            self.mentioned |= {name for arg in node.args for name in names_in(arg)} & self.names
            return False
        # `lambda acc, ct: acc.accum(ct)` mapped over the accumulators counts; without any there is nothing to fill.
        func = node.func
        if self.names and isinstance(func, cst.Attribute) and func.attr.value in _FILLS:
            # `self.stats.accum(g)` is something else.
            if func.attr.value == "with_refs" or is_local(_root(func.value), self.function):
                self._raise_to(AccumulatorUse.ACCUMULATED)
        if isinstance(func, cst.Name) and func.value in _TESTS:
            self._only_read |= {arg.value for arg in node.args}
        return True

    def visit_Comparison(self, node: cst.Comparison) -> None:
        self._only_read |= {node.left, *(target.comparator for target in node.comparisons)}

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        for side in (node.left, node.right):
            if isinstance(side, cst.Name) and side.value in self.names:
                self.not_accumulators.add(side.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if isinstance(node.value, cst.Name) and node.value.value in self.names:
            self.mentioned.add(node.value.value)
            fills = node.attr.value in ("accum", "addupdate", "ref")
            self._raise_to(AccumulatorUse.ACCUMULATED if fills else AccumulatorUse.READ)
            if not fills and node.attr.value not in ("aval", "inst", "freeze", "val"):
                self.not_accumulators.add(node.value.value)
            return False
        return True

    def visit_Param(self, node: cst.Param) -> bool:
        if node.default is not None:
            node.default.visit(self)
        return False

    def visit_Name(self, node: cst.Name) -> None:
        if node.value in self.names:
            self.mentioned.add(node.value)
            self._raise_to(AccumulatorUse.READ if node in self._only_read else AccumulatorUse.PASSED)


def _root(node: cst.BaseExpression) -> cst.BaseExpression:
    """``a`` of ``a.b[c].d()``."""
    while isinstance(node, (cst.Attribute, cst.Subscript, cst.Call)):
        node = node.func if isinstance(node, cst.Call) else node.value
    return node


_TESTS = ("isinstance", "type", "len", "id", "hasattr")
