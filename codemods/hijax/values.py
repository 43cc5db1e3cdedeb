"""What an expression in a rule method certainly is: a tuple of cotangents, one array, a dict, nothing, or unknown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import libcst as cst

from codemods.hijax.calls import PULLBACK_MAKERS, TRANSPOSE_MAKERS, gives_one_array, is_array_method, is_tree_map
from codemods.hijax.function import Binding, FunctionBody, always_exits, parameter_names, read_body


class ValueKind(Enum):
    """Certain kinds only; whatever is not certain is ``UNKNOWN``."""

    NONE = "none"
    TUPLE = "tuple"
    LIST = "list"
    SEQUENCE = "sequence"
    """a tuple or a list, depending on the branch"""
    DICT = "dict"
    LEAF = "leaf"
    """one array or number"""
    RULE_CALL = "rule call"
    """what a ``vjp_bwd`` of the same hierarchy returns"""
    UNKNOWN = "unknown"


SEQUENCES = (ValueKind.TUPLE, ValueKind.LIST, ValueKind.SEQUENCE)


@dataclass(frozen=True)
class Value:
    """A kind, and for a sequence its length where that is certain."""

    kind: ValueKind
    length: int | None = None


UNKNOWN = Value(ValueKind.UNKNOWN)
NONE = Value(ValueKind.NONE)
LEAF = Value(ValueKind.LEAF)


class Names(Protocol):
    """How names in one function are resolved; the project layer knows."""

    def symbol(self, node: cst.BaseExpression) -> str | None:
        """The absolute dotted name that an expression certainly refers to, such as ``jax.numpy.sin``."""

    def helper(self, node: cst.Call) -> tuple[cst.FunctionDef, Names] | None:
        """The one function that a call certainly runs (a method of the same class, a function of the module)."""

    def is_rule_call(self, node: cst.Call) -> bool:
        """Whether a call runs ``vjp_bwd`` of the same hierarchy (``super().vjp_bwd(…)``, ``self.vjp_bwd(…)``)."""

    def residual_pullback(self, name: str) -> bool:
        """Whether a parameter certainly holds the pullback that ``vjp_fwd`` stored as its residuals."""


def join(values: list[Value]) -> Value:
    """The value of which each of ``values`` is one alternative."""
    if not values:
        return UNKNOWN
    kinds = {value.kind for value in values}
    lengths = {value.length for value in values}
    length = next(iter(lengths)) if len(lengths) == 1 else None
    if len(kinds) == 1:
        return Value(next(iter(kinds)), length)
    if kinds == {ValueKind.DICT, ValueKind.NONE}:
        return Value(ValueKind.DICT)  # log entries on some paths only
    return Value(ValueKind.SEQUENCE, length) if kinds <= {*SEQUENCES, ValueKind.RULE_CALL} else UNKNOWN


class Values:
    """The values of expressions inside one function."""

    def __init__(self, function: cst.FunctionDef, names: Names, depth: int = 0) -> None:
        self.function = function
        self.names = names
        self.depth = depth
        self.body: FunctionBody = read_body(function)
        self.parameters = set(parameter_names(function.params))
        self._active: set[str] = set()

    def of(self, node: cst.BaseExpression | None) -> Value:
        """What ``node`` certainly is. None stands for a bare ``return``."""
        if node is None:
            return NONE
        if isinstance(node, cst.Name):
            return self._name(node.value)
        if isinstance(node, (cst.Tuple, cst.List)):
            kind = ValueKind.TUPLE if isinstance(node, cst.Tuple) else ValueKind.LIST
            starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
            return Value(kind, None if starred else len(node.elements))
        if isinstance(node, cst.IfExp):
            return join([self.of(node.body), self.of(node.orelse)])
        if isinstance(node, cst.NamedExpr):
            return self.of(node.value)
        if isinstance(node, (cst.Dict, cst.DictComp)):
            return Value(ValueKind.DICT)
        if isinstance(node, cst.ListComp):
            return Value(ValueKind.LIST)
        if isinstance(node, (cst.BaseNumber, cst.Comparison)):
            return LEAF
        if isinstance(node, cst.UnaryOperation):
            return UNKNOWN if isinstance(node.operator, cst.Not) else LEAF
        if isinstance(node, cst.BinaryOperation):
            return self._operation(node)
        if isinstance(node, cst.Subscript):
            return self._subscript(node)
        return self._call(node) if isinstance(node, cst.Call) else UNKNOWN

    def may_lack(self, node: cst.BaseExpression | None, position: int) -> bool:
        """Whether the value at ``position`` of a sequence may be None, elsewhere than as an element of a display."""
        if isinstance(node, cst.IfExp):
            return self.may_lack(node.body, position) or self.may_lack(node.orelse, position)
        if isinstance(node, (cst.Tuple, cst.List)):
            starred = any(isinstance(element, cst.StarredElement) for element in node.elements)
            element = node.elements[position].value if not starred and position < len(node.elements) else None
            return isinstance(element, cst.IfExp) and NONE in (self.of(element.body), self.of(element.orelse))
        if isinstance(node, cst.Name) and node.value not in self._active:
            self._active.add(node.value)
            values = [b.value for b in self.body.followed(node.value) if b.position is None]
            found = any(self._lacks(value, position) or self.may_lack(value, position) for value in values)
            self._active.discard(node.value)
            return found
        return False

    def _lacks(self, node: cst.BaseExpression | None, position: int) -> bool:
        if isinstance(node, cst.IfExp):
            return self._lacks(node.body, position) or self._lacks(node.orelse, position)
        if not isinstance(node, (cst.Tuple, cst.List)) or position >= len(node.elements):
            return False
        return self.of(node.elements[position].value) == NONE

    def returned(self) -> Value:
        """What the function returns on every path."""
        if self.body.is_generator or self.function.asynchronous is not None:
            return UNKNOWN
        values = [self.of(node.value) for node in self.body.returns]
        if not always_exits(self.function.body):
            values.append(NONE)
        return join(values)

    def _name(self, name: str) -> Value:
        if name == "None":
            return NONE
        if name in self._active or name in self.parameters:
            return UNKNOWN
        bindings = self.body.followed(name)
        if not bindings:
            return UNKNOWN
        self._active.add(name)
        plain = join([self._bound(b) for b in bindings if not b.is_augmented])
        added = [self.of(b.value) for b in bindings if b.is_augmented]
        self._active.discard(name)
        if added and plain.kind in SEQUENCES and any(a.kind not in (*SEQUENCES, ValueKind.UNKNOWN) for a in added):
            return UNKNOWN
        is_changed = bool(added) or (name in self.body.mutated and plain.kind is not ValueKind.TUPLE)
        return Value(plain.kind) if is_changed else plain

    def _bound(self, binding: Binding) -> Value:
        if binding.position is None:
            return self.of(binding.value)
        # `out, logs = pull.with_logs(g)`: the logs of an inner backward pass (jax 0.11.1+).
        is_logs = binding.position == 1 and isinstance(binding.value, cst.Call) and _mentions_logs(binding.value.func)
        return Value(ValueKind.DICT) if is_logs else UNKNOWN

    def _operation(self, node: cst.BinaryOperation) -> Value:
        left, right = self.of(node.left), self.of(node.right)
        if left.kind not in SEQUENCES and right.kind not in SEQUENCES:
            return _arithmetic(node, left, right)
        if isinstance(node.operator, cst.Add) and left.kind is right.kind:
            known = left.length is not None and right.length is not None
            return Value(left.kind, (left.length or 0) + (right.length or 0) if known else None)
        if isinstance(node.operator, cst.Multiply):
            return Value(left.kind if left.kind in SEQUENCES else right.kind)
        return UNKNOWN

    def _subscript(self, node: cst.Subscript) -> Value:
        indices = [element.slice for element in node.slice]
        whole = self.of(node.value)
        if len(indices) == 1 and isinstance(indices[0], cst.Slice) and whole.kind in SEQUENCES:
            return Value(whole.kind)
        values = [index.value for index in indices if isinstance(index, cst.Index)]
        is_array_index = any(isinstance(v, cst.Ellipsis) or _is_none(v) for v in values)
        return LEAF if is_array_index and whole.kind not in SEQUENCES else UNKNOWN

    def _call(self, node: cst.Call) -> Value:
        if self.names.is_rule_call(node):
            return Value(ValueKind.RULE_CALL)
        pulled = self._pulled(node.func)
        if pulled is not None:
            return pulled
        dotted = self.names.symbol(node.func)
        if dotted is not None:
            return self._known_call(dotted, node)
        helper = self.names.helper(node) if self.depth < 8 else None
        if helper is not None:
            return Values(helper[0], helper[1], self.depth + 1).returned()
        return self._method(node.func) if isinstance(node.func, cst.Attribute) else UNKNOWN

    def _method(self, func: cst.Attribute) -> Value:
        if func.attr.value == "accum" and is_accumulator_like(func.value, self.function):
            return NONE
        is_array = self.of(func.value).kind is ValueKind.LEAF or is_accumulator_like(func.value, self.function)
        return LEAF if is_array and is_array_method(func.attr.value) else UNKNOWN

    def _known_call(self, dotted: str, node: cst.Call) -> Value:
        if dotted == "builtins.tuple":
            inner = self.of(node.args[0].value) if len(node.args) == 1 and not node.args[0].star else UNKNOWN
            return Value(ValueKind.TUPLE, inner.length if inner.kind in SEQUENCES else None)
        if dotted in ("builtins.list", "builtins.sorted"):
            return Value(ValueKind.LIST)
        if dotted == "builtins.dict":
            return Value(ValueKind.DICT)
        if dotted in ("builtins.float", "builtins.int", "builtins.abs"):
            return LEAF
        if is_tree_map(dotted) and len(node.args) >= 2 and not any(a.star or a.keyword for a in node.args[:2]):
            first = self.of(node.args[1].value)
            return first if first.kind in (*SEQUENCES, ValueKind.DICT) else UNKNOWN
        if dotted == "jax.numpy.where" and len(node.args) == 3 and not any(a.star for a in node.args):
            return LEAF
        return LEAF if gives_one_array(dotted) else UNKNOWN

    def is_pullback(self, node: cst.BaseExpression) -> bool:
        """Whether an expression certainly is the pullback of a ``jax.vjp`` call."""
        return self._pulled(node) is not None

    def returns_pullback(self) -> bool:
        """Whether every return is ``(out, pullback)``, as ``return jax.vjp(…)`` is too."""
        if self.body.is_generator or not self.body.returns or not always_exits(self.function.body):
            return False
        return all(node.value is not None and self._pair_has_pullback(node.value) for node in self.body.returns)

    def _pair_has_pullback(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.Tuple) and len(node.elements) >= 2:
            starred = any(isinstance(element, cst.StarredElement) for element in node.elements[:2])
            return not starred and self.is_pullback(node.elements[1].value)
        return self._maker(Binding(node, 1)) is not None

    def _pulled(self, node: cst.BaseExpression) -> Value | None:
        """The tuple that calling ``node`` gives where it is a pullback, or None."""
        if isinstance(node, cst.Name):
            if node.value in self.parameters:
                is_stored = node.value not in self.body.bindings and self.names.residual_pullback(node.value)
                return Value(ValueKind.TUPLE) if is_stored else None
            made = [self._maker(b) for b in self.body.followed(node.value)]
            certain = [m for m in made if m is not None]
            return join(certain) if certain and len(certain) == len(made) else None
        if isinstance(node, cst.Subscript) and len(node.slice) == 1:
            index = node.slice[0].slice
            if isinstance(index, cst.Index) and isinstance(index.value, cst.Integer):
                return self._maker(Binding(node.value, index.value.evaluated_value))
            return None
        return self._maker(Binding(node))

    def _maker(self, binding: Binding) -> Value | None:
        call = binding.value
        if not isinstance(call, cst.Call):
            return None
        dotted = self.names.symbol(call.func)
        is_pull = dotted in PULLBACK_MAKERS and binding.position == 1
        is_transpose = dotted in TRANSPOSE_MAKERS and binding.position is None
        if not (is_pull or is_transpose):
            return None
        plain = [a for a in call.args if a.keyword is None]
        return Value(ValueKind.TUPLE, None if any(a.star for a in call.args) else len(plain) - 1)


def _arithmetic(node: cst.BinaryOperation, left: Value, right: Value) -> Value:
    """What an operation on two values gives that are not certainly sequences."""
    kinds = {left.kind, right.kind}
    if kinds == {ValueKind.DICT} and isinstance(node.operator, cst.BitOr):
        return Value(ValueKind.DICT)
    if kinds & {ValueKind.DICT, ValueKind.RULE_CALL, ValueKind.NONE}:
        return UNKNOWN
    if ValueKind.LEAF in kinds and not any(_is_count(side) for side in (node.left, node.right)):
        return LEAF
    if isinstance(node.operator, (cst.Add, cst.BitOr, cst.BitAnd, cst.BitXor)):
        return LEAF if ValueKind.LEAF in kinds else UNKNOWN  # tuples and dicts have these as well
    if isinstance(node.operator, cst.Multiply) and any(_is_count(side) for side in (node.left, node.right)):
        other = node.right if _is_count(node.left) else node.left
        return LEAF if not isinstance(other, cst.Call) or kinds == {ValueKind.LEAF} else UNKNOWN
    return UNKNOWN if isinstance(node.left, cst.BaseString) else LEAF


def _is_count(node: cst.BaseExpression) -> bool:
    """An integer literal, which repeats a sequence as well as it scales an array."""
    return isinstance(node, cst.Integer)


def is_accumulator_like(node: cst.BaseExpression, function: cst.FunctionDef) -> bool:
    """Whether an expression is a local name, or an item of one, and not reached through ``self``."""
    while isinstance(node, cst.Subscript):
        node = node.value
    return is_local(node, function)


def is_local(node: cst.BaseExpression, function: cst.FunctionDef) -> bool:
    """Whether an expression is a name other than the first parameter (``self``)."""
    positional = [*function.params.posonly_params, *function.params.params]
    first = positional[0].name.value if positional else ""
    return isinstance(node, cst.Name) and node.value != first


def _mentions_logs(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.Call):
        return _mentions_logs(node.func)
    return isinstance(node, cst.Attribute) and (node.attr.value == "with_logs" or _mentions_logs(node.value))


def _is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"
