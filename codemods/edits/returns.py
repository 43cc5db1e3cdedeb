"""Edits of ``return`` statements: the tuple that ``vjp_bwd_retval`` needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import libcst as cst

from codemods.edits.build import call, none_for_each_leaf, tuple_of
from codemods.hijax.values import SEQUENCES, ValueKind, Values

Expression = TypeVar("Expression", bound=cst.BaseExpression)


@dataclass(frozen=True)
class ReturnStyle:
    """What the new returns of one rule are made of.

    Attributes:
      values: certain values of expressions in the original body.
      jax: how ``jax`` is spelled in the body; None where it was not asked for.
      self_name: the first parameter.
      pytrees: input positions that are certainly pytrees.
      arrays: input positions that certainly hold one array.
      accumulators: accumulator parameter names, one an input; empty for ``vjp_bwd_retval``.
      star: the name of a ``*arg_accums`` that takes all (or the remaining) accumulators.
      indent: the indentation of blocks around the rule; None for the module's default.
    """

    values: Values
    jax: cst.BaseExpression | None
    self_name: str
    pytrees: frozenset[int]
    arrays: frozenset[int]
    accumulators: tuple[str, ...] = ()
    star: str | None = None
    indent: str | None = None

    def used(self, returned: Sequence[cst.BaseExpression]) -> frozenset[str]:
        """The accumulators that some return fills."""
        return frozenset(name for node in returned for name in self._used_by(node))

    def _used_by(self, node: cst.BaseExpression) -> set[str]:
        if isinstance(node, cst.IfExp):
            return self._used_by(node.body) | self._used_by(node.orelse)
        if isinstance(node, (cst.Tuple, cst.List)) and self.is_spread(node):
            pairs = zip(self.accumulators, node.elements, strict=True)
            return {name for name, element in pairs if not self.is_nothing(element.value)}
        return set(self.accumulators)

    def needs_jax(self, returned: Sequence[cst.BaseExpression]) -> bool:
        """Whether ``jax.tree.map`` is written for one of the returned expressions."""
        if self.accumulators or self.star:
            return any(self._maps(node) for node in returned)
        return any(self._has_bare_none(node) for node in returned)

    def _has_bare_none(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.IfExp):
            return self._has_bare_none(node.body) or self._has_bare_none(node.orelse)
        elements = node.elements if isinstance(node, (cst.Tuple, cst.List)) else []
        return any(i in self.pytrees and self.is_nothing(e.value) for i, e in enumerate(elements))

    def _maps(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.IfExp):
            return self._maps(node.body) or self._maps(node.orelse)
        kind = self.values.of(node).kind
        if kind is ValueKind.RULE_CALL:
            return False
        if kind is ValueKind.LEAF:
            return self.star is not None
        if not self.is_spread(node):
            return True
        assert isinstance(node, (cst.Tuple, cst.List))
        return any(not self.is_nothing(e.value) and not self.is_leaf(e.value, i) for i, e in enumerate(node.elements))

    def is_spread(self, node: cst.BaseExpression) -> bool:
        """Whether a returned display is written as one call an accumulator."""
        return isinstance(node, (cst.Tuple, cst.List)) and self.star is None and self.values.of(node).length is not None

    def is_nothing(self, node: cst.BaseExpression) -> bool:
        """Whether a cotangent certainly is None: the literal, or a name that is bound to nothing else."""
        return is_none(node) or (isinstance(node, cst.Name) and self.values.of(node).kind is ValueKind.NONE)

    def is_leaf(self, node: cst.BaseExpression, position: int) -> bool:
        """Whether a cotangent certainly is a single array."""
        kind = self.values.of(node).kind
        is_tree = kind in (*SEQUENCES, ValueKind.DICT)
        return kind is ValueKind.LEAF or (position in self.arrays and not is_tree)


def is_none(node: cst.BaseExpression) -> bool:
    """A literal ``None``."""
    return isinstance(node, cst.Name) and node.value == "None"


def bare(node: Expression) -> Expression:
    """An expression without its outermost parentheses, where they hold nothing but the expression on one line."""
    code = cst.Module([]).code_for_node(node)
    if len(node.lpar) != 1 or "\n" in code or "\r" in code or isinstance(node, (cst.Tuple, cst.Yield)):
        return node
    return node.with_changes(lpar=[], rpar=[])


def as_tuple(style: ReturnStyle, old: cst.BaseExpression, new: cst.BaseExpression) -> cst.BaseExpression:
    """A returned value as the tuple that jax wants. ``old`` tells what it is, ``new`` what it has become."""
    kind = style.values.of(old).kind
    if isinstance(old, cst.IfExp) and isinstance(new, cst.IfExp):
        body, orelse = as_tuple(style, old.body, new.body), as_tuple(style, old.orelse, new.orelse)
        return new if body is new.body and orelse is new.orelse else new.with_changes(body=body, orelse=orelse)
    if isinstance(old, (cst.Tuple, cst.List)) and isinstance(new, (cst.Tuple, cst.List)):
        return _fill_pytrees(style, old, display_as_tuple(new))
    if kind is ValueKind.LEAF:
        return tuple_of([bare(new)])
    if kind in (ValueKind.LIST, ValueKind.SEQUENCE):
        if style.values.names.symbol(cst.Name("tuple")) != "builtins.tuple":
            return cst.Tuple([cst.StarredElement(new, comma=cst.Comma())])
        return call(cst.Name("tuple"), new)
    return new


def display_as_tuple(node: cst.Tuple | cst.List) -> cst.Tuple:
    """A list display as a tuple display, its comments kept."""
    if isinstance(node, cst.Tuple):
        return node
    elements = list(node.elements)
    if len(elements) == 1 and not isinstance(elements[0].comma, cst.Comma):
        elements = [elements[0].with_changes(comma=cst.Comma())]
    lpar = cst.LeftParen(whitespace_after=node.lbracket.whitespace_after)
    rpar = cst.RightParen(whitespace_before=node.rbracket.whitespace_before)
    outer = bare(node)  # the brackets' own parentheses are enough
    return cst.Tuple(elements, lpar=[*outer.lpar, lpar], rpar=[rpar, *outer.rpar])


def _fill_pytrees(style: ReturnStyle, old: cst.Tuple | cst.List, new: cst.Tuple) -> cst.Tuple:
    if style.jax is None or not style.pytrees:
        return new
    elements = list(new.elements)
    for position, element in enumerate(old.elements):
        if position in style.pytrees and style.is_nothing(element.value):
            filled = none_for_each_leaf(style.jax, style.self_name, position)
            elements[position] = elements[position].with_changes(value=filled)
    return new.with_changes(elements=elements)


def tuple_return(style: ReturnStyle, original: cst.Return) -> Callable[[cst.CSTNode], cst.CSTNode]:
    """The edit that makes a ``return`` give a tuple."""

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(node, cst.Return) or node.value is None or original.value is None:
            return node
        value = as_tuple(style, original.value, node.value)
        if value is node.value:
            return node
        space = node.whitespace_after_return
        if isinstance(space, cst.SimpleWhitespace) and not space.value:
            space = cst.SimpleWhitespace(" ")
        return node.with_changes(value=value, whitespace_after_return=space)

    return edit
