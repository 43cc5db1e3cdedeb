"""Whether a ``jvp`` or ``linearized`` body copes with symbolic zero tangents.

``vjp_from_jvp`` (jax 0.11.1+) and ``vjp_from_lin`` (0.11.2+) hand ``Zero`` objects for inputs that are not
differentiated; arithmetic with them raises ``TypeError: unsupported operand type(s) for *: … and 'Zero'``.
``jax.tree.map(instantiate_zeros, tangents)`` without ``is_leaf`` does nothing: ``Zero`` is an empty pytree node.
"""

from __future__ import annotations

import libcst as cst

from codemods.hijax.values import Names

_INSTANTIATE = ("instantiate_zeros", "instantiate")


def treats_zeros(function: cst.FunctionDef, names: Names, depth: int = 0) -> bool:
    """Whether the body mentions ``Zero`` or instantiates zeros one by one, itself or in a helper that it calls."""
    finder = _ZeroFinder()
    function.body.visit(finder)
    if finder.found or depth >= 3:
        return finder.found
    helpers = [names.helper(call) for call in finder.calls]
    return any(treats_zeros(helper[0], helper[1], depth + 1) for helper in helpers if helper is not None)


class _ZeroFinder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False
        self.calls: list[cst.Call] = []

    def visit_Name(self, node: cst.Name) -> None:
        self.found = self.found or node.value in ("Zero", "SymbolicZero")

    def visit_Call(self, node: cst.Call) -> None:
        self.calls.append(node)
        is_map = isinstance(node.func, cst.Name) and node.func.value == "map"
        direct = node.args[0].value if is_map and node.args else node.func
        self.found = self.found or _last_name(direct) in _INSTANTIATE


def _last_name(node: cst.BaseExpression) -> str | None:
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else None


def unpacked_count(function: cst.FunctionDef, name: str) -> int | None:
    """Into how many names a parameter is unpacked (``x, y = primals``), or None."""
    counts = {
        len(target.elements)
        for target, value in _assignments(function)
        if isinstance(value, cst.Name) and value.value == name and isinstance(target, (cst.Tuple, cst.List))
        if not any(isinstance(element, cst.StarredElement) for element in target.elements)
    }
    return next(iter(counts)) if len(counts) == 1 else None


def _assignments(function: cst.FunctionDef) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    finder = _AssignFinder()
    function.body.visit(finder)
    return finder.found


class _AssignFinder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[cst.BaseExpression, cst.BaseExpression]] = []

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._pair(target.target, node.value)

    def _pair(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        self.found.append((target, value))
        if isinstance(target, (cst.Tuple, cst.List)) and isinstance(value, (cst.Tuple, cst.List)):
            if len(target.elements) == len(value.elements):
                for left, right in zip(target.elements, value.elements, strict=True):
                    self._pair(left.value, right.value)
