"""Whether a ``jvp`` or ``linearized`` body copes with symbolic zero tangents.

``vjp_from_jvp`` (jax 0.11.1+) and ``vjp_from_lin`` (0.11.2+) hand ``Zero`` objects for inputs that are not
differentiated; arithmetic with them raises ``TypeError: unsupported operand type(s) for *: … and 'Zero'``.
``jax.tree.map(instantiate_zeros, tangents)`` without ``is_leaf`` does nothing: ``Zero`` is an empty pytree node.
"""

from __future__ import annotations

import libcst as cst

from codemods.hijax.values import Names

_INSTANTIATE = ("instantiate_zeros", "instantiate")
_ZERO = ("Zero", "SymbolicZero")


def treats_zeros(function: cst.FunctionDef, names: Names, inputs: int | None, depth: int = 0) -> bool:
    """Whether the body treats ``Zero`` for every one of its tangents, itself or in a helper that it calls.

    Args:
      inputs: how many tangents there are; None where that is unknown: then one that is treated speaks for all.
    """
    finder = _ZeroFinder()
    function.body.visit(finder)
    if finder.all_at_once:
        return True
    if finder.one_by_one:
        return inputs is None or len(finder.one_by_one) >= inputs
    if depth >= 3:
        return False
    helpers = [names.helper(call) for call in finder.calls]
    return any(treats_zeros(helper[0], helper[1], None, depth + 1) for helper in helpers if helper is not None)


class _ZeroFinder(cst.CSTVisitor):
    """Treatments of zeros: over a collection (a map, a comprehension, a lambda), or of one expression each."""

    def __init__(self) -> None:
        super().__init__()
        self.all_at_once = False
        self.one_by_one: set[str] = set()
        self.calls: list[cst.Call] = []
        self._inner: list[set[str]] = []
        self._blind: set[cst.BaseExpression] = set()

    def visit_Call(self, node: cst.Call) -> None:
        self.calls.append(node)
        name = _last_name(node.func)
        args = [arg.value for arg in node.args]
        has_leaf = any(arg.keyword is not None and arg.keyword.value == "is_leaf" for arg in node.args)
        if name in ("map", "tree_map") and isinstance(node.func, cst.Attribute) and not has_leaf:
            self._blind |= {arg for arg in args if isinstance(arg, cst.Lambda)}  # never sees a Zero
        if name == "map" and isinstance(node.func, cst.Name) and args and _last_name(args[0]) in _INSTANTIATE:
            self.all_at_once = True
        elif (name in _INSTANTIATE and args) or (name == "isinstance" and len(args) == 2 and _mentions_zero(args[1])):
            self._treated(args[0])

    def visit_Comparison(self, node: cst.Comparison) -> None:
        if isinstance(node.left, cst.Call) and _last_name(node.left.func) == "type" and node.left.args:
            if any(_mentions_zero(target.comparator) for target in node.comparisons):
                self._treated(node.left.args[0].value)

    def _treated(self, node: cst.BaseExpression) -> None:
        if isinstance(node, cst.Name) and any(node.value in names for names in self._inner):
            self.all_at_once = True
        else:
            self.one_by_one.add(cst.Module([]).code_for_node(node))

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        self._inner.append({param.name.value for param in node.params.params})
        return node not in self._blind

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        self._inner.pop()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._inner.append({param.name.value for param in node.params.params})

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._inner.pop()

    def visit_For(self, node: cst.For) -> None:
        self._inner.append(_names_of(node.target))

    def leave_For(self, original_node: cst.For) -> None:
        self._inner.pop()

    def visit_ListComp(self, node: cst.ListComp) -> None:
        self._inner.append(_names_of(node.for_in.target))

    def leave_ListComp(self, original_node: cst.ListComp) -> None:
        self._inner.pop()

    def visit_GeneratorExp(self, node: cst.GeneratorExp) -> None:
        self._inner.append(_names_of(node.for_in.target))

    def leave_GeneratorExp(self, original_node: cst.GeneratorExp) -> None:
        self._inner.pop()


def _mentions_zero(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Tuple):
        return any(_mentions_zero(element.value) for element in node.elements)
    return _last_name(node) in _ZERO


def _names_of(target: cst.BaseExpression) -> set[str]:
    if isinstance(target, (cst.Tuple, cst.List)):
        return {name for element in target.elements for name in _names_of(element.value)}
    return {target.value} if isinstance(target, cst.Name) else set()


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
        if (
            isinstance(target, (cst.Tuple, cst.List))
            and isinstance(value, (cst.Tuple, cst.List))
            and len(target.elements) == len(value.elements)
        ):
            for left, right in zip(target.elements, value.elements, strict=True):
                self._pair(left.value, right.value)
