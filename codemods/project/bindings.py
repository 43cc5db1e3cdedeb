"""How single statements bind names: imports, targets, the branches of an ``if``."""

from __future__ import annotations

import libcst as cst

from codemods.hijax.function import bound_names
from codemods.hijax.roots import BASE_NAMES, MODULES
from codemods.project.facts import Ref, RefKind
from codemods.project.scope import Scope, dotted_name, unknown

Import = cst.Import | cst.ImportFrom


class UseFinder(cst.CSTVisitor):
    """``….vjp_bwd`` in an expression or simple statement, and ``getattr(…, "vjp_bwd")``."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.Attribute] = []
        self.dynamic: list[cst.Call] = []

    def visit_Call(self, node: cst.Call) -> None:
        name = node.args[1].value if dotted_name(node.func) == "getattr" and len(node.args) > 1 else None
        if isinstance(name, cst.SimpleString) and name.evaluated_value == "vjp_bwd":
            self.dynamic.append(node)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if node.attr.value == "vjp_bwd":
            self.found.append(node)


class WalrusFinder(cst.CSTVisitor):
    """``name := value`` in an expression or simple statement, inner ones first."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[cst.NamedExpr] = []

    def leave_NamedExpr(self, original_node: cst.NamedExpr) -> None:
        self.found.append(original_node)


def statements_of(body: cst.BaseSuite) -> list[cst.CSTNode]:
    """The statements of a block; a one-line suite stands for itself."""
    return list(body.body) if isinstance(body, cst.IndentedBlock) else [body]


def is_type_checking(test: cst.BaseExpression) -> bool | None:
    """True for ``TYPE_CHECKING``, False for ``not TYPE_CHECKING``, None for any other test."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        inner = is_type_checking(test.expression)
        return None if inner is None else not inner
    name = dotted_name(test)
    return True if name is not None and name.rpartition(".")[2] == "TYPE_CHECKING" else None


def bind_unknown(target: cst.BaseExpression, scope: Scope) -> None:
    """Bind the names of a target to something that cannot be told."""
    for name in bound_names(target):
        scope.env[name] = unknown(name)


def bind_import(node: Import, origin: int, scope: Scope) -> None:
    """Bind what an import statement binds; ``origin`` is its number."""
    if isinstance(node, cst.Import):
        for alias in node.names:
            dotted = dotted_name(alias.name) or ""
            bound = alias.evaluated_alias or dotted.partition(".")[0]
            target = dotted if alias.evaluated_alias else bound
            scope.env[bound] = frozenset({Ref(RefKind.SYMBOL, target, origin=origin)})
        return
    name_after_dots = dotted_name(node.module) if node.module is not None else None
    module = "." * len(node.relative) + (name_after_dots or "")
    if isinstance(node.names, cst.ImportStar):
        scope.stars.insert(0, module)
        for base in BASE_NAMES if module in MODULES else ():
            scope.env[base] = frozenset({Ref(RefKind.SYMBOL, f"{module}.{base}", origin=origin)})
        return
    joiner = "" if module.endswith(".") else "."
    for alias in node.names:
        name = alias.evaluated_name
        refs = frozenset({Ref(RefKind.SYMBOL, f"{module}{joiner}{name}", origin=origin)})
        scope.env[alias.evaluated_alias or name] = refs
