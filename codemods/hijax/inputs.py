"""What a primitive's source certainly says about its inputs: how many, their names, which are pytrees or arrays.

Sources, in order: ``expand``, ``vjp_fwd`` (whose first parameter is ``nzs_in`` from jax 0.9.0), the ``in_avals`` that
``__init__`` sets, and the places where the class is constructed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import libcst as cst

from codemods.hijax.calls import gives_one_array, is_tree_map, takes_arrays
from codemods.hijax.function import names_in, read_body
from codemods.hijax.values import Names


@dataclass(frozen=True)
class Inputs:
    """``arity`` and ``names`` are None where unknown; ``pytrees`` and ``arrays`` hold input positions."""

    arity: int | None = None
    names: tuple[str, ...] | None = None
    pytrees: frozenset[int] = field(default_factory=frozenset)
    arrays: frozenset[int] = field(default_factory=frozenset)


@dataclass(frozen=True)
class InputSources:
    """The methods of a class that tell about its inputs, each with the resolver of its names."""

    expand: tuple[cst.FunctionDef, Names] | None
    vjp_fwd: tuple[cst.FunctionDef, Names] | None
    init: tuple[cst.FunctionDef, Names] | None
    constructions: tuple[tuple[cst.Call, Names], ...] = ()


def read_inputs(sources: InputSources) -> Inputs:
    """Gather what is certain; sources that disagree about the arity leave it unknown."""
    expand = _input_names(sources.expand[0], skip=1) if sources.expand else None
    fwd = _fwd_names(sources.vjp_fwd[0]) if sources.vjp_fwd else None
    avals = _in_avals(sources.init[0]) if sources.init else None
    counts = {len(found) for found in (expand, fwd, avals) if found is not None}
    arity = next(iter(counts)) if len(counts) == 1 else None
    pytrees: set[int] = set()
    arrays: set[int] = set()
    for names, source in ((expand, sources.expand), (fwd, sources.vjp_fwd)):
        if names is not None and source is not None:
            usage = _Usage(names, source[1], read_body(source[0]).bindings)
            source[0].body.visit(usage)
            pytrees |= usage.pytrees
            arrays |= usage.arrays
    if avals is not None and sources.init is not None:
        pytrees |= _aval_pytrees(avals, sources.init, sources.constructions)
    both = pytrees & arrays
    names = fwd or expand if arity is not None else None
    return Inputs(arity, names, frozenset(pytrees - both), frozenset(arrays - both))


def _input_names(function: cst.FunctionDef, skip: int) -> tuple[str, ...] | None:
    params = function.params
    positional = [*params.posonly_params, *params.params]
    if isinstance(params.star_arg, cst.Param) or params.star_kwarg is not None or len(positional) < skip:
        return None
    if params.kwonly_params or any(p.default is not None for p in positional):
        return None
    return tuple(p.name.value for p in positional[skip:])


def _fwd_names(function: cst.FunctionDef) -> tuple[str, ...] | None:
    names = _input_names(function, skip=1)
    # Without nzs_in it is code for jax 0.8, or a name that is not recognised: the count would be a guess.
    return names[1:] if names and "nz" in names[0].lower() else None


def _in_avals(init: cst.FunctionDef) -> list[cst.BaseExpression] | None:
    finder = _InAvals()
    init.body.visit(finder)
    if len(finder.values) != 1 or not isinstance(finder.values[0], cst.Tuple):
        return None
    elements = finder.values[0].elements
    return None if any(isinstance(e, cst.StarredElement) for e in elements) else [e.value for e in elements]


class _InAvals(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.values: list[cst.BaseExpression] = []

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            if isinstance(target.target, cst.Attribute) and target.target.attr.value == "in_avals":
                self.values.append(node.value)


def _aval_pytrees(
    avals: list[cst.BaseExpression],
    init: tuple[cst.FunctionDef, Names],
    constructions: Iterable[tuple[cst.Call, Names]],
) -> set[int]:
    function, names = init
    rebound = read_body(function).bindings
    params = [p.name.value for p in (*function.params.posonly_params, *function.params.params)][1:]
    found = {i for i, aval in enumerate(avals) if _is_tree(aval, names)}
    for call, call_names in constructions:
        for position, arg in enumerate(call.args):
            if arg.star:
                break
            name = arg.keyword.value if arg.keyword is not None else _at(params, position)
            if name is not None and name not in rebound and _is_tree(arg.value, call_names):
                found |= {i for i, aval in enumerate(avals) if isinstance(aval, cst.Name) and aval.value == name}
    return found


def _at(names: list[str], position: int) -> str | None:
    return names[position] if position < len(names) else None


def _is_tree(node: cst.BaseExpression, names: Names) -> bool:
    if isinstance(node, (cst.Dict, cst.DictComp, cst.Tuple, cst.List, cst.ListComp)):
        return True
    if isinstance(node, cst.Call):
        dotted = names.symbol(node.func)
        return dotted is not None and is_tree_map(dotted)
    return False


class _Usage(cst.CSTVisitor):
    """How a method uses its input parameters: as pytrees (``p["w"]``, ``p.items()``) or as arrays (arithmetic, jnp)."""

    def __init__(self, inputs: tuple[str, ...], names: Names, rebound: Iterable[str]) -> None:
        super().__init__()
        self.positions = {name: i for i, name in enumerate(inputs) if name not in set(rebound)}
        self.names = names
        self.pytrees: set[int] = set()
        self.arrays: set[int] = set()

    def _position(self, node: cst.CSTNode) -> int | None:
        return self.positions.get(node.value) if isinstance(node, cst.Name) else None

    def _mark(self, found: set[int], *nodes: cst.CSTNode) -> None:
        found |= {p for p in (self._position(node) for node in nodes) if p is not None}

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        return False  # its parameters may shadow the inputs

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Subscript(self, node: cst.Subscript) -> None:
        if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
            if isinstance(node.slice[0].slice.value, cst.BaseString):
                self._mark(self.pytrees, node.value)

    def visit_BinaryOperation(self, node: cst.BinaryOperation) -> None:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if self._needs_array(node, other):
                self._mark(self.arrays, side)

    def _needs_array(self, node: cst.BinaryOperation, other: cst.BaseExpression) -> bool:
        """Whether an operation with ``other`` is one that sequences and dicts do not have."""
        if isinstance(other, (cst.BaseString, cst.Tuple, cst.List, cst.Dict, cst.ListComp)):
            return False
        if isinstance(node.operator, cst.Multiply):
            return not isinstance(other, cst.Integer)
        if isinstance(node.operator, (cst.Add, cst.BitOr, cst.BitAnd)):
            if isinstance(other, cst.BinaryOperation):
                return not isinstance(other.operator, (cst.Add, cst.BitOr, cst.BitAnd))
            dotted = self.names.symbol(other.func) if isinstance(other, cst.Call) else None
            return isinstance(other, cst.BaseNumber) or (dotted is not None and gives_one_array(dotted))
        return True

    def visit_ListComp(self, node: cst.ListComp) -> bool:
        return not self._shadows(node.for_in)

    def visit_SetComp(self, node: cst.SetComp) -> bool:
        return not self._shadows(node.for_in)

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> bool:
        return not self._shadows(node.for_in)

    def visit_DictComp(self, node: cst.DictComp) -> bool:
        return not self._shadows(node.for_in)

    def _shadows(self, node: cst.CompFor) -> bool:
        return bool(set(names_in(node.target)) & set(self.positions))

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        if not isinstance(node.operator, cst.Not):
            self._mark(self.arrays, node.expression)

    def visit_Call(self, node: cst.Call) -> None:
        if isinstance(node.func, cst.Attribute) and node.func.attr.value in ("items", "keys", "values"):
            self._mark(self.pytrees, node.func.value)
        dotted = self.names.symbol(node.func)
        if dotted is not None and takes_arrays(dotted):
            self._mark(self.arrays, *(arg.value for arg in node.args if not arg.star))
