"""The tangents of a ``jvp`` or ``linearized``: how many there are, and the statement that instantiates zeros."""

from __future__ import annotations

import libcst as cst

from codemods.edits.build import call
from codemods.hijax.zeros import unpacked_count
from codemods.project.unit import ClassView


def may_see_zeros(view: ClassView, function: cst.FunctionDef, name: str) -> bool:
    """Whether one of several inputs, or one leaf of a pytree input, may be left out of the differentiation."""
    return tangent_count(view, function, name) != 1 or 0 in view.inputs.pytrees


def tangent_count(view: ClassView, function: cst.FunctionDef, name: str) -> int | None:
    """How many tangents the rule gets, or None where that is unknown."""
    arity = view.inputs.arity
    positional = [*function.params.posonly_params, *function.params.params]
    if arity is None and name == "jvp" and len(positional) >= 2:
        arity = unpacked_count(function, positional[1].name.value)
    if arity is None and name == "linearized" and not isinstance(function.params.star_arg, cst.Param):
        arity = len(positional) - (3 if view.has_structured_residuals else 2)
    return arity


def tangent_parameters(function: cst.FunctionDef, name: str) -> list[str] | None:
    """The parameters that hold tangents: one name for a tuple of them, several for one each."""
    params = function.params
    positional = [p.name.value for p in (*params.posonly_params, *params.params)]
    if name == "jvp":
        return [positional[2]] if len(positional) == 3 and not isinstance(params.star_arg, cst.Param) else None
    if isinstance(params.star_arg, cst.Param):
        return [params.star_arg.name.value] if len(positional) == 2 else None
    return positional[2:] if len(positional) > 3 else None


def instantiate_statement(
    tangents: list[str], jax: cst.BaseExpression, instantiate: cst.BaseExpression, zero: cst.BaseExpression
) -> cst.Assign:
    """``tangents = jax.tree.map(instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, Zero))``"""
    is_zero = cst.Lambda(
        params=cst.Parameters([cst.Param(cst.Name("t"))]),
        body=call(cst.Name("isinstance"), cst.Name("t"), zero),
    )
    names = [cst.Element(cst.Name(tangent)) for tangent in tangents]
    target: cst.BaseAssignTargetExpression = cst.Name(tangents[0])
    value: cst.BaseExpression = cst.Name(tangents[0])
    if len(tangents) > 1:
        target, value = cst.Tuple(names, lpar=[], rpar=[]), cst.Tuple(names)
    tree_map = cst.Attribute(cst.Attribute(jax, cst.Name("tree")), cst.Name("map"))
    no_space = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    leaf = cst.Arg(is_zero, keyword=cst.Name("is_leaf"), equal=no_space)
    mapped = cst.Call(tree_map, [cst.Arg(instantiate), cst.Arg(value), leaf])
    return cst.Assign([cst.AssignTarget(target)], mapped)
