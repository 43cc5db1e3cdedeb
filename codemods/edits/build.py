"""Small pieces of syntax."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst


def dotted(text: str) -> cst.Name | cst.Attribute:
    """``a.b.c`` as an expression."""
    first, *rest = text.split(".")
    node: cst.Name | cst.Attribute = cst.Name(first)
    for part in rest:
        node = cst.Attribute(node, cst.Name(part))
    return node


def call(func: cst.BaseExpression, *args: cst.BaseExpression) -> cst.Call:
    """``func(args, …)``"""
    return cst.Call(func, [cst.Arg(arg) for arg in args])


def tuple_of(items: list[cst.BaseExpression]) -> cst.Tuple:
    """``(a, b)``, and ``(a,)`` for one."""
    elements = [cst.Element(item) for item in items]
    if len(elements) == 1:
        elements = [cst.Element(items[0], comma=cst.Comma())]
    return cst.Tuple(elements)


def line(
    statement: cst.BaseSmallStatement,
    leading: list[cst.EmptyLine] | None = None,
    comment: cst.Comment | None = None,
    newline: cst.Newline | None = None,
) -> cst.SimpleStatementLine:
    """A statement line; ``newline`` keeps the line ending that its surroundings have."""
    trailing = cst.TrailingWhitespace(
        whitespace=cst.SimpleWhitespace("  " if comment is not None else ""),
        comment=comment,
        newline=newline if newline is not None else cst.Newline(),
    )
    return cst.SimpleStatementLine([statement], leading_lines=leading or [], trailing_whitespace=trailing)


def delete(names: Sequence[str]) -> cst.Del:
    """``del a, b``"""
    if len(names) == 1:
        return cst.Del(cst.Name(names[0]))
    return cst.Del(cst.Tuple([cst.Element(cst.Name(name)) for name in names], lpar=[], rpar=[]))


def map_accumulators(jax: cst.BaseExpression, accs: cst.BaseExpression, cts: cst.BaseExpression) -> cst.Call:
    """``jax.tree.map(lambda acc, ct: acc.accum(ct), accs, cts)``"""
    accumulate = cst.Lambda(
        params=cst.Parameters([cst.Param(cst.Name("acc")), cst.Param(cst.Name("ct"))]),
        body=call(dotted("acc.accum"), cst.Name("ct")),
    )
    return call(cst.Attribute(cst.Attribute(jax, cst.Name("tree")), cst.Name("map")), accumulate, accs, cts)


def none_for_each_leaf(jax: cst.BaseExpression, self_name: str, position: int) -> cst.Call:
    """``jax.tree.map(lambda _: None, self.in_avals[position])``: no cotangent for a whole pytree input."""
    nothing = cst.Lambda(params=cst.Parameters([cst.Param(cst.Name("_"))]), body=cst.Name("None"))
    aval = cst.Subscript(
        dotted(f"{self_name}.in_avals"),
        [cst.SubscriptElement(cst.Index(cst.Integer(str(position))))],
    )
    return call(cst.Attribute(cst.Attribute(jax, cst.Name("tree")), cst.Name("map")), nothing, aval)
