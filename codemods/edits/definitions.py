"""Every definition of ``vjp_bwd`` in a module, classified, with what stands in the way of migrating it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import libcst as cst

from codemods.edits.problems import Body, Problem, body_problem
from codemods.hijax.backward import (
    AccumulatorUse,
    Backward,
    BwdForm,
    RuleParameters,
    classify,
    rule_parameters,
)
from codemods.hijax.function import is_stub
from codemods.hijax.inputs import Inputs
from codemods.hijax.values import Names, ValueKind, Values
from codemods.project.facts import RefKind
from codemods.project.members import MemberDef, MemberKind
from codemods.project.scope import Scope, dotted_name, evaluate, unknown
from codemods.project.unit import ClassView, ModuleIndex

KEEPS_SIGNATURE = {
    "typing.override",
    "typing_extensions.override",
    "abc.abstractmethod",
    "jax.named_scope",
    "jax.named_call",
}


@dataclass(frozen=True)
class Definition:
    """One definition of ``vjp_bwd``.

    ``function`` is the method, the module function that is assigned, or a function made from the assigned lambda.
    ``users`` are the primitive classes for which it is the rule. ``problem`` stands in the way of any migration.
    """

    view: ClassView
    member: MemberDef
    users: tuple[ClassView, ...]
    function: cst.FunctionDef | None = None
    names: Names | None = None
    parameters: RuleParameters | None = None
    backward: Backward = Backward(BwdForm.UNCLEAR)
    inputs: Inputs = Inputs()
    problem: Problem | None = None

    @property
    def symbol(self) -> str:
        return f"{self.view.qualname}.vjp_bwd"

    @property
    def anchor(self) -> cst.CSTNode:
        return self.member.node

    @property
    def form(self) -> BwdForm:
        return self.backward.form

    @property
    def returns_value(self) -> bool:
        """Whether some return certainly gives something else than None."""
        return any(site.value.kind is not ValueKind.NONE for site in self.backward.returns)

    @property
    def needs_accumulators(self) -> bool:
        """Whether ``vjp_bwd_retval`` cannot express it: it reads its accumulators or gets structured residuals."""
        structured = self.parameters is not None and self.parameters.lead == 4
        return self.backward.use is AccumulatorUse.READ or structured


def read_definitions(view: ClassView) -> list[Definition]:
    """The definitions of ``vjp_bwd`` in one class body, also those in branches."""
    everyone = [view, *view.descendants]
    users = tuple(c for c in everyone if c.is_primitive and (found := c.find("vjp_bwd")) and found.owner is view)
    members = [m for m in view.own("vjp_bwd") if not (isinstance(m.value, cst.Name) and m.value.value == "None")]
    return [_read(Definition(view, member, users)) for member in members]


def _read(definition: Definition) -> Definition:
    view, member = definition.view, definition.member
    # Of classes that differ, the one whose vjp_fwd says least: what holds for it holds for all.
    owner = min(definition.users, key=lambda user: user.stores_pullback, default=view)
    function, names, problem = _function(view, member, owner)
    if function is None or names is None:
        return replace(definition, problem=problem)
    parameters = rule_parameters(function.params, owner.has_structured_residuals)
    if len({user.has_structured_residuals for user in definition.users}) > 1:
        message = "of the classes with this rule, only some have a `vjp_fwd` that returns structured residuals"
        problem = Problem(member.node, "unclear-signature", message, "give them rules of their own, then run again")
    if parameters is None and is_stub(function):
        parameters = RuleParameters(3, (), None)  # `*args`: a stub says nothing of its parameters
    definition = replace(definition, function=function, names=names, parameters=parameters, problem=problem)
    if parameters is None:
        backward = classify(function, names, RuleParameters(3, (), None))
        if backward.form is BwdForm.NOTHING:  # its accumulators are somewhere in `*args`
            return replace(definition, backward=replace(backward, form=BwdForm.ACCUMULATES))
        message = "the signature of `vjp_bwd` does not name its residuals and its cotangent"
        unclear = Problem(
            member.node, "unclear-signature", message, "write it as `vjp_bwd(self, res, g, …)`, then run again"
        )
        return replace(definition, backward=backward, problem=problem or unclear)
    definition = replace(
        definition, backward=classify(function, names, parameters), inputs=_common_inputs(definition, parameters)
    )
    values = Values(function, names)
    body = Body(definition.anchor, function, definition.backward, parameters, definition.inputs, values)
    found = definition.problem or body_problem(body)
    if found is not None and isinstance(member.value, cst.Lambda):
        found = replace(found, node=member.node)  # the return was made for it and stands nowhere
    return replace(definition, problem=found)


def _function(
    view: ClassView, member: MemberDef, owner: ClassView
) -> tuple[cst.FunctionDef | None, Names | None, Problem | None]:
    index = view.module
    if view.is_assigned_outside("vjp_bwd"):
        return None, None, _not_plain(member.node, "`vjp_bwd` is also assigned from outside the class")
    if member.function is not None:
        names = index.names_in(member.function, owner, is_rule=True)
        return member.function, names, decorator_problem(member.function, view)
    if member.kind is MemberKind.VALUE and isinstance(member.value, cst.Lambda):
        function = _from_lambda(index, view, member.value)
        return function, index.names_in(function, owner, is_rule=True), None
    if member.kind is MemberKind.VALUE and isinstance(member.value, cst.Name):
        return _assigned(index, view, member, owner)
    return None, None, _not_plain(member.node, "`vjp_bwd` is not a plain method")


def _not_plain(node: cst.CSTNode, message: str) -> Problem:
    return Problem(node, "not-a-plain-method", message, "define `vjp_bwd` with `def` in the class body, then run again")


def decorator_problem(function: cst.FunctionDef, view: ClassView) -> Problem | None:
    """A decorator that is not known to keep the signature and the returned value."""
    for decorator in function.decorators:
        node = decorator.decorator
        callee = node.func if isinstance(node, cst.Call) else node
        refs = evaluate(callee, view.scanned.body_scope)
        if not all(ref.kind is RefKind.SYMBOL and ref.name in KEEPS_SIGNATURE for ref in refs):
            name = dotted_name(callee) or "…"
            message = f"the decorator `@{name}` may depend on the signature or the returned value of `vjp_bwd`"
            return Problem(function, "unknown-decorator", message, "migrate this rule by hand")
    return None


def _from_lambda(index: ModuleIndex, view: ClassView, node: cst.Lambda) -> cst.FunctionDef:
    body = cst.IndentedBlock([cst.SimpleStatementLine([cst.Return(node.body)])])
    function = cst.FunctionDef(cst.Name("vjp_bwd"), node.params, body)
    scope = Scope("function", view.scanned.body_scope, function=function)
    for param in (*node.params.posonly_params, *node.params.params, *node.params.kwonly_params):
        scope.env[param.name.value] = unknown(param.name.value)
    index.scanned.function_scopes[function] = scope
    return function


def _assigned(
    index: ModuleIndex, view: ClassView, member: MemberDef, owner: ClassView
) -> tuple[cst.FunctionDef | None, Names | None, Problem | None]:
    assert isinstance(member.value, cst.Name)
    name = member.value.value
    function = index.function_of(evaluate(member.value, view.scanned.body_scope))
    if function is None:
        return None, None, _not_plain(member.node, f"`vjp_bwd` is assigned from `{name}`, which cannot be followed")
    problem = decorator_problem(function, view)
    # The definition itself and this assignment are two.
    if problem is None and index.name_counts.get(name, 0) != 2:
        problem = Problem(
            member.node,
            "shared-function",
            f"the function `{name}` is used in more places than this class",
            "give the class a function of its own, then run again",
        )
    return function, index.names_in(function, owner, is_rule=True), problem


def _common_inputs(definition: Definition, parameters: RuleParameters) -> Inputs:
    """What holds for every class that uses the rule."""
    every = [user.inputs for user in definition.users] or [definition.view.inputs]
    arities = {inputs.arity for inputs in every}
    arity = next(iter(arities)) if len(arities) == 1 else None
    names = {inputs.names for inputs in every}
    if arity is None and parameters.named and parameters.star is None:
        arity = len(parameters.named)
    return Inputs(
        arity,
        next(iter(names)) if len(names) == 1 and len(arities) == 1 else None,
        frozenset().union(*(inputs.pytrees for inputs in every)),
        frozenset.intersection(*(inputs.arrays for inputs in every)),
    )
