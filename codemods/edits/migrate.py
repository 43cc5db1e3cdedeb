"""The edits that migrate one definition of ``vjp_bwd`` and the calls of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import libcst as cst

from codemods.edits.accumulate import accumulate
from codemods.edits.bodies import first_statement
from codemods.edits.build import delete, line
from codemods.edits.callers import call_of, lead_arguments
from codemods.edits.definitions import Definition
from codemods.edits.groups import Group
from codemods.edits.imports import jax_name
from codemods.edits.methods import renamed, with_accumulators, without_accumulators, without_deleted
from codemods.edits.ops import Expand, Op, Replace
from codemods.edits.places import Places
from codemods.edits.returns import ReturnStyle, is_none, tuple_return
from codemods.hijax.backward import BwdForm
from codemods.hijax.function import names_in
from codemods.hijax.releases import Releases
from codemods.hijax.values import Values
from codemods.project.scan import RuleUse
from codemods.project.unit import ClassView, Unit


@dataclass(frozen=True)
class Migration:
    """The edits of one definition, or why they cannot be made (``missing`` names what no import can bring)."""

    ops: tuple[Op, ...] = ()
    missing: str = ""
    accumulators: tuple[str, ...] = ()
    star: str | None = None


def as_retval(definition: Definition, releases: Releases) -> Migration:
    """Rename to ``vjp_bwd_retval``, drop the accumulators, make every return a tuple."""
    function, parameters = definition.function, definition.parameters
    assert function is not None and parameters is not None
    ops: list[Op] = [_rename(definition)]
    header: cst.CSTNode = function
    if isinstance(definition.member.value, cst.Lambda):
        header = definition.member.value
    needed = set(names_in(function.body)) & set(parameters.accumulators) if definition.form is BwdForm.STUB else set()
    if parameters.accumulators and not needed:
        ops.append(Replace(header, without_accumulators(parameters.lead)))
        ops += _dels(function, frozenset(parameters.accumulators))
    if definition.form is BwdForm.STUB:
        return Migration(tuple(ops))
    style, jax_ops = _style(definition, (), None, releases)
    if style is None:
        return Migration(missing="jax")
    if isinstance(definition.member.value, cst.Lambda):
        ops.append(Replace(definition.member.value, _lambda_tuple(style, definition.member.value)))
    else:
        ops += [Replace(site.node, tuple_return(style, site.node)) for site in definition.backward.returns]
    return Migration((*ops, *jax_ops))


def as_accum(definition: Definition, releases: Releases) -> Migration:
    """Make every return accumulator calls and ``return None``."""
    function, parameters = definition.function, definition.parameters
    assert function is not None and parameters is not None
    if definition.form is BwdForm.STUB:
        return Migration()
    named, star = _accumulators(definition)
    style, jax_ops = _style(definition, named, star, releases)
    if style is None:
        return Migration(missing="jax")
    ops: list[Op] = []
    added = named[len(parameters.named) :]
    header: list[Op] = []
    if added or (star is not None and star != parameters.star):
        header = [Replace(function, with_accumulators(added, star if star != parameters.star else None))]
    returned = [site.node.value for site in definition.backward.returns if site.node.value is not None]
    used = style.used(returned)
    mentioned = names_in(function.body)
    # `del` says that an input without a cotangent was not forgotten.
    idle = [name for name in named if name not in used and name not in mentioned and not name.startswith("_")]
    if isinstance(definition.member.value, cst.Lambda):
        ops.append(Expand(definition.member.line, _lambda_function(style, definition, added, idle)))
        return Migration((*ops, *jax_ops), "", named, star)
    ops += header
    if function.returns is not None and not is_none(function.returns.annotation):
        ops.append(Replace(function.returns, lambda node: node.with_changes(annotation=cst.Name("None"))))
    ops += _dels(function, used | ({star} if star is not None else set()))
    places = Places(function)
    for site in definition.backward.returns:
        ops.append(_expanded(style, site.node, places))
    if idle:  # last, so that a one-line body is a block by then
        ops.append(first_statement(function, delete(idle), style.indent))
    return Migration((*ops, *jax_ops), "", named, star)


def home(view: ClassView, users: Sequence[ClassView]) -> ClassView:
    """The class through whose imports a rule of ``view`` gets names: one of the same file that leads to jax's class."""
    return next((v for v in (view, *users) if v.module is view.module and v.resolved.sites), view)


def _rename(definition: Definition) -> Op:
    if definition.member.function is not None:
        return Replace(definition.member.function, renamed("vjp_bwd_retval"))

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        new = cst.Name("vjp_bwd_retval")
        if isinstance(node, cst.Assign):
            return node.with_changes(targets=[node.targets[0].with_changes(target=new)])
        return node.with_changes(target=new) if isinstance(node, cst.AnnAssign) else node

    return Replace(definition.member.node, edit)


def _style(
    definition: Definition, named: tuple[str, ...], star: str | None, releases: Releases
) -> tuple[ReturnStyle | None, tuple[Op, ...]]:
    """How the returns are written; None where ``jax`` is needed and cannot be had."""
    function, names = definition.function, definition.names
    assert function is not None and names is not None
    block = definition.member.block
    first = [*function.params.posonly_params, *function.params.params][0].name.value
    indent = block.indent if isinstance(block, cst.IndentedBlock) else None
    inputs = definition.inputs
    make: Callable[[cst.BaseExpression | None], ReturnStyle] = lambda jax: ReturnStyle(  # noqa: E731
        Values(function, names), jax, first, inputs.pytrees, inputs.arrays, named, star, indent
    )
    style = make(None)
    returned = [site.node.value for site in definition.backward.returns if site.node.value is not None]
    if not style.needs_jax(returned):
        return style, ()
    view = home(definition.view, definition.users)
    jax = jax_name(view, view.module.scanned.function_scopes[function], releases)
    return (None, ()) if jax is None else (make(jax.expression), jax.ops)


def _accumulators(definition: Definition) -> tuple[tuple[str, ...], str | None]:
    """One accumulator name an input where that can be told, else a ``*arg_accums``."""
    function, parameters, inputs = definition.function, definition.parameters, definition.inputs
    assert function is not None and parameters is not None
    if parameters.named and parameters.star is None:
        return parameters.named, None
    taken = names_in(function)
    is_star_used = parameters.star is not None and taken.count(parameters.star) > 1
    if inputs.arity is None or inputs.names is None or is_star_used:
        return parameters.named, parameters.star or _fresh("arg_accums", taken)
    named = list(parameters.named)
    for name in inputs.names[len(named) :]:
        named.append(_fresh(f"{name}_acc", [*taken, *named]))
    return tuple(named), None


def _fresh(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _dels(function: cst.FunctionDef, names: frozenset[str]) -> list[Op]:
    """Take accumulators out of ``del`` statements: they are parameters no more, or are needed after all."""
    places = Places(function)
    ops: list[Op] = []
    for small, held in places.line.items():
        if not isinstance(small, cst.Del) or small is without_deleted(names)(small):
            continue
        is_empty = isinstance(without_deleted(names)(small), cst.Pass)
        if is_empty and isinstance(held, cst.SimpleStatementLine) and _can_go(held, places):
            ops.append(Expand(held, lambda node: []))
        else:
            ops.append(Replace(small, without_deleted(names)))
    return ops


def _can_go(held: cst.SimpleStatementLine, places: Places) -> bool:
    has_comment = held.trailing_whitespace.comment is not None or any(e.comment for e in held.leading_lines)
    return len(held.body) == 1 and places.size.get(held, 1) > 1 and not has_comment


def _expanded(style: ReturnStyle, original: cst.Return, places: Places) -> Op:
    held = places.line[original]
    if isinstance(held, cst.SimpleStatementLine):
        return Expand(held, lambda node: _line_lines(style, original, node))
    return Replace(held, lambda node: _suite_block(style, original, node))


def _before(body: Sequence[cst.BaseSmallStatement]) -> tuple[list[cst.BaseSmallStatement], cst.Return]:
    *first, last = body
    assert isinstance(last, cst.Return)
    if first:
        first[-1] = first[-1].with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return first, last


def _line_lines(style: ReturnStyle, original: cst.Return, node: cst.CSTNode) -> list[cst.BaseStatement]:
    assert isinstance(node, cst.SimpleStatementLine)
    first, last = _before(node.body)
    if original.value is None or last.value is None:
        return [node]
    leading: Sequence[cst.EmptyLine] = node.leading_lines
    made: list[cst.BaseStatement] = []
    if first:
        bare = cst.TrailingWhitespace(newline=node.trailing_whitespace.newline)
        made.append(cst.SimpleStatementLine(first, leading_lines=leading, trailing_whitespace=bare))
        leading = []
    return [*made, *accumulate(style, original.value, last.value, leading, node.trailing_whitespace)]


def _alone(small: cst.BaseSmallStatement) -> cst.BaseSmallStatement:
    return small.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)


def _suite_block(style: ReturnStyle, original: cst.Return, node: cst.CSTNode) -> cst.CSTNode:
    if not isinstance(node, cst.SimpleStatementSuite):
        return node
    first, last = _before(node.body)
    if original.value is None or last.value is None:
        return node
    newline = node.trailing_whitespace.newline
    made: list[cst.BaseStatement] = [line(_alone(small), newline=newline) for small in first]
    made += accumulate(style, original.value, last.value, [], node.trailing_whitespace)
    return cst.IndentedBlock(made, header=cst.TrailingWhitespace(newline=newline), indent=style.indent)


def _lambda_tuple(style: ReturnStyle, original: cst.Lambda) -> Callable[[cst.CSTNode], cst.CSTNode]:
    wrapped = cst.Return(original.body)

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(node, cst.Lambda):
            return node
        made = tuple_return(style, wrapped)(cst.Return(node.body))
        return node.with_changes(body=made.value) if isinstance(made, cst.Return) else node

    return edit


def _lambda_function(
    style: ReturnStyle, definition: Definition, added: tuple[str, ...], idle: Sequence[str]
) -> Callable[[cst.CSTNode], list[cst.BaseStatement]]:
    original = definition.member.value
    assert isinstance(original, cst.Lambda) and definition.parameters is not None
    new_star = style.star if style.star != definition.parameters.star else None

    def edit(node: cst.CSTNode) -> list[cst.BaseStatement]:
        assert isinstance(node, cst.SimpleStatementLine)
        newline = node.trailing_whitespace.newline
        small = node.body[0]
        value = small.value if isinstance(small, (cst.Assign, cst.AnnAssign)) else None
        assert isinstance(value, cst.Lambda)
        params = with_accumulators(added, new_star)(value)
        assert isinstance(params, cst.Lambda)
        body = accumulate(style, original.body, value.body, [], cst.TrailingWhitespace(newline=newline))
        body = [line(delete(idle), newline=newline), *body] if idle else body
        block = cst.IndentedBlock(body, header=node.trailing_whitespace, indent=style.indent)
        function = cst.FunctionDef(cst.Name("vjp_bwd"), params.params, block, leading_lines=node.leading_lines)
        return [function]

    return edit


def call_edit(unit: Unit, group: Group, use: RuleUse, accums: tuple[Sequence[str], str | None] | None) -> Op:
    """A call of the rule as it must be after the migration.

    Args:
      accums: the accumulators that the call hands on, names and star; None where it now calls ``vjp_bwd_retval``.
    """
    call = call_of(unit, use)
    assert call is not None
    lead = lead_arguments(use, group.definitions[0])

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return node
        args = list(node.args[:lead])
        if accums is not None:
            extra = [cst.Arg(cst.Name(name)) for name in accums[0]]
            extra += [cst.Arg(cst.Name(accums[1]), star="*")] if accums[1] is not None else []
            if args:
                args[-1] = args[-1].with_changes(comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" ")))
            return node.with_changes(args=[*args, *extra])
        if len(args) < len(node.args):
            closing = node.args[-1]
            args[-1] = args[-1].with_changes(comma=closing.comma, whitespace_after_arg=closing.whitespace_after_arg)
        return node.with_changes(func=node.func.with_changes(attr=cst.Name("vjp_bwd_retval")), args=args)

    return Replace(call, edit)
