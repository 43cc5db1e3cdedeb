"""One function's own statements: its returns, its local bindings, whether it can end without a return."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import libcst as cst


@dataclass(frozen=True)
class Binding:
    """One assignment to a local name.

    ``value`` is the assigned expression; ``position`` the place of the name in an unpacked target (None for a plain
    assignment). ``value`` is None where the name is bound in a way that is not followed. ``is_augmented`` marks
    ``name += value``.
    """

    value: cst.BaseExpression | None
    position: int | None = None
    is_augmented: bool = False


@dataclass
class FunctionBody:
    """What was found in a function, its nested functions and classes left out."""

    returns: list[cst.Return] = field(default_factory=list)
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    mutated: set[str] = field(default_factory=set)
    not_followed: set[str] = field(default_factory=set)
    is_generator: bool = False

    def followed(self, name: str) -> list[Binding]:
        """The assignments of a local name, or nothing where some of them cannot be followed."""
        found = self.bindings.get(name, [])
        return [] if name in self.not_followed or any(b.value is None for b in found) else found


def parameter_names(params: cst.Parameters) -> list[str]:
    """Every parameter's name, in any position."""
    every = [*params.posonly_params, *params.params, *params.kwonly_params]
    every += [p for p in (params.star_arg, params.star_kwarg) if isinstance(p, cst.Param)]
    return [p.name.value for p in every]


def read_body(function: cst.FunctionDef) -> FunctionBody:
    """Walk a function's own statements."""
    visitor = _BodyVisitor()
    function.body.visit(visitor)
    nested = _Nested()
    function.body.visit(nested)
    visitor.found.not_followed |= nested.declared
    visitor.found.mutated |= nested.mutated
    return visitor.found


class _Nested(cst.CSTVisitor):
    """What nested functions may do as well: names declared ``global`` or ``nonlocal``, objects that are changed."""

    def __init__(self) -> None:
        super().__init__()
        self.declared: set[str] = set()
        self.mutated: set[str] = set()

    def visit_NameItem(self, node: cst.NameItem) -> None:
        self.declared.add(node.name.value)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if isinstance(node.value, cst.Name):
            self.mutated.add(node.value.value)


def bound_names(target: cst.BaseExpression) -> list[str]:
    """The names that an assignment target binds."""
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, (cst.Tuple, cst.List)):
        return [name for element in target.elements for name in bound_names(element.value)]
    return []


def names_in(node: cst.CSTNode) -> list[str]:
    """Every name written below a node, attributes included, as often as it is."""
    finder = _NameFinder()
    node.visit(finder)
    return finder.found


class _NameFinder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def visit_Name(self, node: cst.Name) -> None:
        self.found.append(node.value)


class _BodyVisitor(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = FunctionBody()

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        self._unfollowed(node.name)
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        self._unfollowed(node.name)
        return False

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return False

    def visit_Return(self, node: cst.Return) -> None:
        self.found.returns.append(node)

    def visit_Yield(self, node: cst.Yield) -> None:
        self.found.is_generator = True

    def visit_Assign(self, node: cst.Assign) -> None:
        for target in node.targets:
            self._bind(target.target, node.value)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, node.value)

    def visit_NamedExpr(self, node: cst.NamedExpr) -> None:
        self._bind(node.target, node.value)

    def visit_AugAssign(self, node: cst.AugAssign) -> None:
        if isinstance(node.target, cst.Name):
            # `cts += more` keeps the kind of a sequence or of an array, but not its length.
            self.found.mutated.add(node.target.value)
            self.found.bindings.setdefault(node.target.value, []).append(Binding(node.value, is_augmented=True))

    def visit_For(self, node: cst.For) -> None:
        self._unfollowed(node.target)

    def visit_AsName(self, node: cst.AsName) -> None:
        self._unfollowed(node.name)

    def visit_Del(self, node: cst.Del) -> None:
        self._unfollowed(node.target)

    def visit_MatchAs(self, node: cst.MatchAs) -> None:
        if node.name is not None:
            self._unfollowed(node.name)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> None:
        name = node.evaluated_alias or node.evaluated_name.partition(".")[0]
        self.found.bindings.setdefault(name, []).append(Binding(None))

    def _bind(self, target: cst.BaseExpression, value: cst.BaseExpression) -> None:
        if isinstance(target, cst.Name):
            self.found.bindings.setdefault(target.value, []).append(Binding(value))
        elif isinstance(target, (cst.Tuple, cst.List)):
            for position, element in enumerate(target.elements):
                if isinstance(element, cst.StarredElement) or not isinstance(element.value, cst.Name):
                    self._unfollowed(element.value)
                else:
                    bound = self._element(value, position, len(target.elements))
                    self.found.bindings.setdefault(element.value.value, []).append(bound)
        elif isinstance(target, cst.Subscript) and isinstance(target.value, cst.Name):
            self.found.mutated.add(target.value.value)

    @staticmethod
    def _element(value: cst.BaseExpression, position: int, count: int) -> Binding:
        if isinstance(value, (cst.Tuple, cst.List)):
            starred = any(isinstance(e, cst.StarredElement) for e in value.elements)
            if len(value.elements) == count and not starred:
                return Binding(value.elements[position].value)
        return Binding(value, position)

    def _unfollowed(self, target: cst.BaseExpression | cst.BaseAssignTargetExpression) -> None:
        if isinstance(target, cst.Name):
            self.found.bindings.setdefault(target.value, []).append(Binding(None))
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._unfollowed(element.value)


def is_stub(function: cst.FunctionDef) -> bool:
    """Whether a body holds nothing but a docstring, ``...``, ``pass``, ``raise`` and ``del``."""
    if isinstance(function.body, cst.SimpleStatementSuite):
        return all(_is_nothing(small) for small in function.body.body)
    for statement in function.body.body:
        if not isinstance(statement, cst.SimpleStatementLine) or not all(_is_nothing(s) for s in statement.body):
            return False
    return True


def _is_nothing(node: cst.BaseSmallStatement) -> bool:
    if isinstance(node, cst.Expr):
        return isinstance(node.value, (cst.BaseString, cst.Ellipsis))
    return isinstance(node, (cst.Pass, cst.Raise, cst.Del))


def gives_nothing(function: cst.FunctionDef) -> bool:
    """Whether a rule that must return something returns nothing: a stub, or one that only raises."""
    values = [node.value for node in read_body(function).returns if node.value is not None]
    real = [v for v in values if not (isinstance(v, cst.Name) and v.value in ("None", "NotImplemented"))]
    return not real or function.asynchronous is not None


def always_exits(body: cst.BaseSuite | Sequence[cst.CSTNode]) -> bool:
    """Whether control certainly does not run off the end of a block: it returns, raises or loops for ever."""
    statements = body.body if isinstance(body, cst.BaseSuite) else body
    return any(_exits(statement) for statement in statements)


def _exits(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.SimpleStatementLine):
        return any(isinstance(small, (cst.Return, cst.Raise)) for small in node.body)
    if isinstance(node, (cst.Return, cst.Raise)):
        return True
    if isinstance(node, cst.If):
        return node.orelse is not None and always_exits(node.body) and _exits_else(node.orelse)
    if isinstance(node, cst.With):
        return always_exits(node.body)
    if isinstance(node, (cst.Try, cst.TryStar)):
        if node.finalbody is not None and always_exits(node.finalbody.body):
            return True
        through = always_exits(node.body) or (node.orelse is not None and always_exits(node.orelse.body))
        return through and all(always_exits(handler.body) for handler in node.handlers)
    if isinstance(node, cst.Match):
        catches_all = any(_is_wildcard(case) for case in node.cases)
        return catches_all and all(always_exits(case.body) for case in node.cases)
    if isinstance(node, cst.While):
        endless = isinstance(node.test, cst.Name) and node.test.value == "True"
        return endless and not _has_break(node.body)
    return False


def _exits_else(node: cst.If | cst.Else) -> bool:
    return _exits(node) if isinstance(node, cst.If) else always_exits(node.body)


def _is_wildcard(case: cst.MatchCase) -> bool:
    return case.guard is None and isinstance(case.pattern, cst.MatchAs) and case.pattern.pattern is None


def _has_break(body: cst.BaseSuite) -> bool:
    finder = _BreakFinder()
    body.visit(finder)
    return finder.found


class _BreakFinder(cst.CSTVisitor):
    def __init__(self) -> None:
        super().__init__()
        self.found = False

    def visit_Break(self, node: cst.Break) -> None:
        self.found = True
