"""Read one module: which names it binds to what, which classes it defines, where rule methods are used.

The statements are followed in the order in which Python runs them, with every branch taken, so that a name has the
alternatives that it can have at that point. Function bodies come after the block that holds them, as at run time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from codemods.hijax.function import always_exits, bound_names, parameter_names
from codemods.hijax.roots import RULE_METHODS
from codemods.project.bindings import (
    Import,
    UseFinder,
    WalrusFinder,
    bind_import,
    bind_unknown,
    is_type_checking,
    statements_of,
)
from codemods.project.facts import ClassFact, ModuleFacts, Ref, RefKind, Refs
from codemods.project.members import MemberDef, collect_members
from codemods.project.scope import Scope, code_of, dotted_name, evaluate, unknown


@dataclass(frozen=True)
class RuleUse:
    """``receiver.vjp_bwd`` in the file ``path``, with what the receiver may be, and the innermost function around."""

    path: str
    node: cst.Attribute
    receiver: Refs
    function: cst.FunctionDef | None
    enclosing_class: int


@dataclass
class ScannedClass:
    """A class statement with its nodes. ``scope`` is what was visible when the class statement ran."""

    fact: ClassFact
    node: cst.ClassDef
    scope: Scope
    body_scope: Scope
    members: list[MemberDef]
    outside: list[tuple[str, cst.CSTNode]] = field(default_factory=list)


@dataclass(frozen=True)
class ImportSite:
    """An import statement: the line it stands on, the scope it binds in, the block that holds the line."""

    node: Import
    line: cst.CSTNode
    scope: Scope


@dataclass
class ScannedModule:
    """Everything the rules ask of a module. ``facts`` is the plain part."""

    module: cst.Module
    path: str
    scope: Scope
    public: tuple[str, ...] | None = None
    classes: list[ScannedClass] = field(default_factory=list)
    functions: list[cst.FunctionDef] = field(default_factory=list)
    function_scopes: dict[cst.FunctionDef, Scope] = field(default_factory=dict)
    imports: list[ImportSite] = field(default_factory=list)
    uses: list[RuleUse] = field(default_factory=list)
    dynamic: list[cst.Call] = field(default_factory=list)

    @property
    def facts(self) -> ModuleFacts:
        exports = tuple(sorted(self.scope.env.items()))
        receivers = tuple(use.receiver for use in self.uses)
        stars = tuple(self.scope.stars)
        return ModuleFacts(tuple(c.fact for c in self.classes), exports, stars, self.public, receivers)


def scan(module: cst.Module, path: str, text: str | None = None) -> ScannedModule:
    """Follow the statements of the module in the file ``path``.

    If its ``text`` is given, what it does not hold is not looked for, which takes half of the time.
    """
    scanned = ScannedModule(module, path, Scope("module"))
    scanner = _Scanner(scanned, text is None or "vjp_bwd" in text, text is None or ":=" in text)
    scanner.run(module.body, scanned.scope, "")
    return scanned


class _Scanner:
    def __init__(self, scanned: ScannedModule, has_uses: bool, has_walrus: bool) -> None:
        self.out = scanned
        self.has_uses = has_uses
        self.has_walrus = has_walrus
        self.pending: list[tuple[cst.FunctionDef, Scope, str]] = []

    def run(self, body: Sequence[cst.CSTNode], scope: Scope, qualname: str) -> None:
        """Follow a block, then the functions that it defined."""
        waiting, self.pending = self.pending, []
        self.block(body, scope, qualname)
        functions, self.pending = self.pending, waiting
        for function, outer, name in functions:
            self.function(function, outer, name)

    def function(self, node: cst.FunctionDef, outer: Scope, qualname: str) -> None:
        scope = Scope("function", outer, function=node)
        for name in parameter_names(node.params):
            scope.env[name] = unknown(name)
        positional = [*node.params.posonly_params, *node.params.params]
        decorated = {dotted_name(d.decorator) for d in node.decorators}
        if outer.kind == "class" and positional and not decorated & {"staticmethod", "classmethod"}:
            scope.env[positional[0].name.value] = frozenset({Ref(RefKind.INSTANCE, "self", outer.class_index)})
        self.out.function_scopes[node] = scope
        self.run(statements_of(node.body), scope, qualname)

    def block(self, body: Iterable[cst.CSTNode], scope: Scope, qualname: str) -> None:
        for statement in body:
            if isinstance(statement, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
                for small in statement.body:
                    self.uses(small, scope)
                    self.small(small, statement, scope)
            elif isinstance(statement, cst.BaseSmallStatement):
                self.uses(statement, scope)
                self.small(statement, statement, scope)
            elif isinstance(statement, cst.ClassDef):
                self.class_def(statement, scope, qualname)
            elif isinstance(statement, cst.FunctionDef):
                for part in (*statement.decorators, statement.params):
                    self.uses(part, scope)
                name = f"{qualname}{statement.name.value}"
                self.out.functions.append(statement)
                scope.env[statement.name.value] = frozenset({Ref(RefKind.FUNCTION, name, len(self.out.functions) - 1)})
                self.pending.append((statement, scope, f"{name}.<locals>."))
            elif isinstance(statement, cst.BaseCompoundStatement):
                self.compound(statement, scope, qualname)

    # Simple statements -------------------------------------------------------------------------------------------

    def small(self, node: cst.CSTNode, line: cst.CSTNode, scope: Scope) -> None:
        if isinstance(node, (cst.Import, cst.ImportFrom)):
            self.out.imports.append(ImportSite(node, line, scope))
            bind_import(node, len(self.out.imports) - 1, scope)
        elif isinstance(node, cst.Assign):
            value = evaluate(node.value, scope)
            for target in node.targets:
                self.assign(target.target, node.value, value, scope)
                if scope is self.out.scope and dotted_name(target.target) == "__all__":
                    self.out.public = _string_list(node.value)
        elif isinstance(node, cst.AnnAssign) and node.value is not None:
            self.assign(node.target, node.value, evaluate(node.value, scope), scope)
        elif isinstance(node, cst.AugAssign):
            if dotted_name(node.target) == "__all__":
                self.out.public = None
            self.assign(node.target, node.value, unknown(code_of(node)), scope)
        elif isinstance(node, cst.Del):
            for name in bound_names(node.target):
                scope.env.pop(name, None)
        elif isinstance(node, cst.TypeAlias):
            scope.env[node.name.value] = unknown(node.name.value)
        elif isinstance(node, cst.Expr) and isinstance(node.value, cst.Call):
            self.setattr(node.value, scope)

    def assign(self, target: cst.BaseExpression, node: cst.BaseExpression, value: Refs, scope: Scope) -> None:
        if isinstance(target, cst.Name):
            scope.env[target.value] = value
        elif isinstance(target, cst.Attribute):
            self.outside(evaluate(target.value, scope), target.attr.value, target)
        elif isinstance(target, (cst.Tuple, cst.List)):
            parts = node.elements if isinstance(node, (cst.Tuple, cst.List)) else ()
            pairwise = len(parts) == len(target.elements) and not any(
                isinstance(e, cst.StarredElement) for e in (*parts, *target.elements)
            )
            # All values are there before the first name is bound.
            values = [(p.value, evaluate(p.value, scope)) for p in parts] if pairwise else []
            values = values or [(node, unknown(code_of(node)))] * len(target.elements)
            for element, (part, refs) in zip(target.elements, values, strict=True):
                self.assign(element.value, part, refs, scope)

    def outside(self, owner: Refs, attr: str, node: cst.CSTNode) -> None:
        if attr in RULE_METHODS:
            for ref in owner:
                if ref.kind in (RefKind.CLASS, RefKind.INSTANCE):
                    self.out.classes[ref.index].outside.append((attr, node))

    def setattr(self, call: cst.Call, scope: Scope) -> None:
        if dotted_name(call.func) == "setattr" and len(call.args) == 3:
            name = call.args[1].value
            if isinstance(name, cst.SimpleString):
                self.outside(evaluate(call.args[0].value, scope), str(name.evaluated_value), call)

    def uses(self, node: cst.CSTNode, scope: Scope) -> None:
        """The uses of rules in a simple statement or expression, which also may bind names."""
        if self.has_walrus:
            walrus = WalrusFinder()
            node.visit(walrus)
            for named in walrus.found:
                self.assign(named.target, named.value, evaluate(named.value, scope), scope)
        if not self.has_uses:
            return
        finder = UseFinder()
        node.visit(finder)
        self.out.dynamic += finder.dynamic
        for found in finder.found:
            receiver = evaluate(found.value, scope)
            self.out.uses.append(RuleUse(self.out.path, found, receiver, _function_of(scope), scope.enclosing_class()))

    # Compound statements -----------------------------------------------------------------------------------------

    def class_def(self, node: cst.ClassDef, scope: Scope, qualname: str) -> None:
        index = len(self.out.classes)
        bases = list(node.bases)
        refs = tuple(unknown(code_of(b)) if b.star else evaluate(b.value, scope) for b in bases)
        for part in (*node.decorators, *bases):
            self.uses(part, scope)
        name = f"{qualname}{node.name.value}"
        body_scope = Scope("class", scope, index)
        members = collect_members(node)
        fact = ClassFact(index, name, refs, tuple(code_of(b.value) for b in bases), tuple(m.name for m in members))
        self.out.classes.append(ScannedClass(fact, node, scope.snapshot(), body_scope, members))
        self.block(statements_of(node.body), body_scope, f"{name}.")
        scope.bodies[index] = body_scope.env
        scope.env[node.name.value] = frozenset({Ref(RefKind.CLASS, name, index)})

    def compound(self, node: cst.BaseCompoundStatement, scope: Scope, qualname: str) -> None:
        if isinstance(node, cst.If):
            self.if_statement(node, scope, qualname)
        elif isinstance(node, (cst.For, cst.While)):
            if isinstance(node, cst.For):
                self.uses(node.iter, scope)
                bind_unknown(node.target, scope)
            else:
                self.uses(node.test, scope)
            before = dict(scope.env)
            self.block(statements_of(node.body), scope, qualname)
            if node.orelse is not None:
                self.block(statements_of(node.orelse.body), scope, qualname)
            scope.env = scope.merge(before, scope.env)
        elif isinstance(node, (cst.Try, cst.TryStar)):
            self.try_statement(node, scope, qualname)
        elif isinstance(node, cst.With):
            for item in node.items:
                self.uses(item.item, scope)
                if item.asname is not None:
                    bind_unknown(item.asname.name, scope)
            self.block(statements_of(node.body), scope, qualname)
        elif isinstance(node, cst.Match):
            self.uses(node.subject, scope)
            self.branches([statements_of(case.body) for case in node.cases] + [[]], scope, qualname)

    def branches(self, bodies: list[list[cst.CSTNode]], scope: Scope, qualname: str) -> None:
        before = dict(scope.env)
        merged: dict[str, Refs] | None = None
        for body in bodies:
            scope.env = dict(before)
            self.block(body, scope, qualname)
            if not always_exits(body):  # else what follows does not see what it bound
                merged = scope.env if merged is None else scope.merge(merged, scope.env)
        scope.env = merged if merged is not None else before

    def if_statement(self, node: cst.If, scope: Scope, qualname: str) -> None:
        self.uses(node.test, scope)
        other = node.orelse
        else_body: list[cst.CSTNode] = [] if other is None else [other] if isinstance(other, cst.If) else []
        if isinstance(other, cst.Else):
            else_body = statements_of(other.body)
        typing_only = is_type_checking(node.test)
        if typing_only is None:
            self.branches([statements_of(node.body), else_body], scope, qualname)
            return
        # TYPE_CHECKING is false at run time: what the run-time branch binds is what counts.
        body = statements_of(node.body)
        first, second = (body, else_body) if typing_only else (else_body, body)
        before = dict(scope.env)
        self.block(first, scope, qualname)
        scope.env = before
        self.block(second, scope, qualname)

    def try_statement(self, node: cst.Try | cst.TryStar, scope: Scope, qualname: str) -> None:
        before = dict(scope.env)
        self.block(statements_of(node.body), scope, qualname)
        # A handler may run before or after any statement of the body.
        started = scope.merge(before, scope.env)
        if node.orelse is not None:
            self.block(statements_of(node.orelse.body), scope, qualname)
        result = scope.env
        for handler in node.handlers:
            scope.env = dict(started)
            self.block(statements_of(handler.body), scope, qualname)
            if not always_exits(handler.body):
                result = scope.merge(result, scope.env)
        scope.env = result
        if node.finalbody is not None:
            self.block(statements_of(node.finalbody.body), scope, qualname)


def _string_list(node: cst.BaseExpression) -> tuple[str, ...] | None:
    elements = node.elements if isinstance(node, (cst.List, cst.Tuple)) else [None]
    texts = [e.value if e is not None else None for e in elements]
    if not all(isinstance(text, cst.SimpleString) for text in texts):
        return None
    return tuple(str(text.evaluated_value) for text in texts if isinstance(text, cst.SimpleString))


def _function_of(scope: Scope) -> cst.FunctionDef | None:
    inner: Scope | None = scope
    while inner is not None and inner.function is None:
        inner = inner.parent
    return inner.function if inner is not None else None
