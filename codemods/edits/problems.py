"""Why a ``vjp_bwd`` body cannot be migrated, in words for the person who has to."""

from __future__ import annotations

from dataclasses import dataclass

import libcst as cst

from codemods.hijax.backward import AccumulatorUse, Backward, BwdForm, RuleParameters
from codemods.hijax.inputs import Inputs
from codemods.hijax.values import ValueKind, Values


@dataclass(frozen=True)
class Problem:
    """Why something cannot be migrated, at a node, and what a person should do. ``symbol`` if it is no definition."""

    node: cst.CSTNode
    reason: str
    message: str
    help: str
    symbol: str = ""


@dataclass(frozen=True)
class Body:
    """A classified rule body with what its problems are judged by."""

    anchor: cst.CSTNode
    function: cst.FunctionDef
    backward: Backward
    parameters: RuleParameters
    inputs: Inputs
    values: Values


def body_problem(body: Body) -> Problem | None:
    """What stands in the way of migrating a body that returns something."""
    form = body.backward.form
    if body.backward.not_accumulators and form is not BwdForm.STUB:
        names = ", ".join(f"`{name}`" for name in body.backward.not_accumulators)
        message = f"{names} stands where accumulators do, but is used as something else"
        return Problem(body.anchor, "unclear-signature", message, "check what `vjp_fwd` returns and migrate by hand")
    at = body.backward.unclear_at or body.anchor
    if form is BwdForm.DICT:
        return Problem(
            at,
            "dict-is-logs",
            "`vjp_bwd` returns a dict and accumulates nothing: jax takes it for log entries and the gradients are zero",
            "return a tuple with one cotangent per input, then run again",
        )
    if form is BwdForm.BOTH:
        return Problem(
            at,
            "accumulates-and-returns",
            "`vjp_bwd` accumulates cotangents and also returns some",
            "keep one of the two: accumulate and return None, or return all cotangents",
        )
    if form in (BwdForm.GENERATOR, BwdForm.ASYNC):
        kind = "a generator" if form is BwdForm.GENERATOR else "an async function"
        return Problem(body.anchor, form.value, f"`vjp_bwd` is {kind}", "write it as a plain method")
    if form is BwdForm.UNCLEAR:
        return Problem(
            at,
            "unclear-return",
            _unclear(body),
            "return a tuple with one cotangent per input on every path, then run again",
        )
    if form is not BwdForm.COTANGENTS:
        return None
    return _arity_problem(body) or _pytree_problem(body)


def _unclear(body: Body) -> str:
    backward = body.backward
    if backward.unclear_at is body.function:
        return "`vjp_bwd` returns cotangents on some paths and runs off its end on others"
    site = next((s for s in backward.returns if s.node is backward.unclear_at), None)
    if site is not None and site.value.kind is ValueKind.NONE:
        return "`vjp_bwd` returns cotangents on some paths and nothing on this one"
    if backward.use is AccumulatorUse.PASSED:
        return "`vjp_bwd` passes its accumulators on and also returns a value"
    return "cannot tell whether this returned value is a tuple of cotangents"


def _arity_problem(body: Body) -> Problem | None:
    arity, named = body.inputs.arity, len(body.parameters.named)
    if arity is not None and body.parameters.star is None and named and named != arity:
        message = f"`vjp_bwd` has {named} accumulators, but the primitive has {arity} inputs"
        return Problem(body.anchor, "arity", message, "give it one accumulator per input")
    first = arity
    for site in body.backward.returns:
        value = site.value
        if value.kind is ValueKind.LEAF and arity != 1:
            known = "an unknown number of" if arity is None else str(arity)
            message = f"this returns a single value, but the primitive has {known} inputs"
            return Problem(site.node, "unclear-return", message, "return a tuple with one cotangent per input")
        if value.length is not None and first is not None and value.length != first:
            inputs = "1 input" if arity == 1 else f"{arity} inputs"
            other = f"the primitive has {inputs}" if arity is not None else f"another return gives {first}"
            cotangents = "1 cotangent" if value.length == 1 else f"{value.length} cotangents"
            message = f"this returns {cotangents}, but {other}"
            return Problem(site.node, "arity", message, "return one cotangent per input; None where there is none")
        first = value.length if first is None else first
    return None


def _pytree_problem(body: Body) -> Problem | None:
    """None in the place of a whole pytree is an error in jax; a literal can be filled in, a computed one cannot."""
    for site in body.backward.returns:
        for position in sorted(body.inputs.pytrees):
            if body.values.may_lack(site.node.value, position):
                return Problem(
                    site.node,
                    "none-for-pytree",
                    f"the cotangent of input {position}, a pytree, may be None here; jax wants None at each leaf",
                    f"write `jax.tree.map(lambda _: None, self.in_avals[{position}])` where it is None",
                )
    return None
