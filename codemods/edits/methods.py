"""Edits of a method's header: its name and its parameters."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from codemods.edits.ops import NodeEdit


def renamed(name: str) -> NodeEdit:
    """Give a function another name."""

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        return node.with_changes(name=cst.Name(name)) if isinstance(node, cst.FunctionDef) else node

    return edit


def without_accumulators(lead: int) -> NodeEdit:
    """Drop what follows the first ``lead`` positional parameters, and ``*args``; keep ``/`` and keyword-only ones."""

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, (cst.FunctionDef, cst.Lambda)):
            return node.with_changes(params=_drop(node.params, lead))
        return node

    return edit


def _drop(params: cst.Parameters, lead: int) -> cst.Parameters:
    posonly, plain = list(params.posonly_params), list(params.params)
    kept_posonly = posonly[:lead]
    kept_plain = plain[: max(lead - len(posonly), 0)]
    star = params.star_arg
    if isinstance(star, cst.Param):
        star = cst.ParamStar() if params.kwonly_params else cst.MaybeSentinel.DEFAULT
    changed = params.with_changes(posonly_params=kept_posonly, params=kept_plain, star_arg=star)
    is_last_dropped = len(kept_posonly) + len(kept_plain) < len(posonly) + len(plain) or star is not params.star_arg
    if not is_last_dropped or params.kwonly_params or params.star_kwarg is not None:
        return changed
    return _close_like(params, changed)


def _last(params: cst.Parameters) -> cst.Param | cst.ParamSlash | None:
    if params.star_kwarg is not None:
        return params.star_kwarg
    if params.kwonly_params:
        return params.kwonly_params[-1]
    if isinstance(params.star_arg, cst.Param):
        return params.star_arg
    if not params.params and isinstance(params.posonly_ind, cst.ParamSlash):
        return params.posonly_ind
    both = [*params.posonly_params, *params.params]
    return both[-1] if both else None


def _space_after(item: cst.Param | cst.ParamSlash) -> cst.BaseParenthesizableWhitespace:
    return item.whitespace_after if isinstance(item, cst.ParamSlash) else item.whitespace_after_param


def _close_like(old: cst.Parameters, new: cst.Parameters) -> cst.Parameters:
    """End the parameter list in the way in which it ended before: trailing comma, closing bracket on its own line."""
    was = _last(old)
    if was is None:
        return new
    if not new.params:
        if not new.posonly_params:
            return new
        slash = new.posonly_ind
        comma = was.comma if isinstance(was.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT
        if isinstance(slash, cst.ParamSlash):
            closed = slash.with_changes(comma=_no_comment(comma), whitespace_after=_space_after(was))
            return new.with_changes(posonly_ind=closed)
        return new
    end = new.params[-1]
    comma = was.comma if isinstance(was.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT
    own = end.comma
    space = _space_after(was)
    if isinstance(own, cst.Comma) and _comment(own) is not None:
        # The comment behind the last kept parameter stays; only the indentation of what follows changes.
        model = comma.whitespace_after if isinstance(comma, cst.Comma) else space
        comma = own.with_changes(whitespace_after=_with_last_line(own.whitespace_after, model))
        space = cst.SimpleWhitespace("")
    else:
        comma = _no_comment(comma)
    end = end.with_changes(comma=comma, whitespace_after_param=space)
    return new.with_changes(params=[*new.params[:-1], end])


def _comment(comma: cst.Comma) -> cst.Comment | None:
    space = comma.whitespace_after
    return space.first_line.comment if isinstance(space, cst.ParenthesizedWhitespace) else None


def _no_comment(comma: cst.Comma | cst.MaybeSentinel) -> cst.Comma | cst.MaybeSentinel:
    if not isinstance(comma, cst.Comma):
        return comma
    comma = comma.with_changes(whitespace_before=cst.SimpleWhitespace(""))
    if isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace):
        space = comma.whitespace_after
        bare = cst.TrailingWhitespace(newline=space.first_line.newline)
        return comma.with_changes(whitespace_after=space.with_changes(first_line=bare, empty_lines=[]))
    return comma


def _with_last_line(
    space: cst.BaseParenthesizableWhitespace, model: cst.BaseParenthesizableWhitespace
) -> cst.BaseParenthesizableWhitespace:
    if isinstance(space, cst.ParenthesizedWhitespace) and isinstance(model, cst.ParenthesizedWhitespace):
        return space.with_changes(indent=model.indent, last_line=model.last_line)
    return space


def with_accumulators(names: Sequence[str], star: str | None) -> NodeEdit:
    """Add accumulator parameters behind the positional ones, in the layout that the list has.

    ``names`` become plain parameters; ``star`` becomes ``*star``. A ``*args`` that is there gives way to ``names``.
    """

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if isinstance(node, (cst.FunctionDef, cst.Lambda)):
            return node.with_changes(params=_add(node.params, names, star))
        return node

    return edit


def _add(params: cst.Parameters, names: Sequence[str], star: str | None) -> cst.Parameters:
    was_last = _last(params)
    replaced = params.star_arg if isinstance(params.star_arg, cst.Param) and names else None
    added = [cst.Param(cst.Name(name)) for name in names]
    existing = list(params.params)
    changed = params
    if replaced is not None:
        star_now: cst.Param | cst.ParamStar | cst.MaybeSentinel = (
            cst.ParamStar() if params.kwonly_params else cst.MaybeSentinel.DEFAULT
        )
        changed = changed.with_changes(star_arg=star_now)
    if star is not None:
        comma = _plain_comma() if params.kwonly_params else cst.MaybeSentinel.DEFAULT
        changed = changed.with_changes(star_arg=cst.Param(cst.Name(star), star="*", comma=comma))
    between = _between(params)
    has_more = bool(params.kwonly_params) or params.star_kwarg is not None
    if existing and (added or star is not None):
        existing[-1] = _followed(existing[-1], between)
    elif not existing and isinstance(params.posonly_ind, cst.ParamSlash) and (added or star is not None):
        slash = params.posonly_ind
        comma = slash.comma if isinstance(slash.comma, cst.Comma) else between
        if isinstance(comma.whitespace_after, cst.SimpleWhitespace) and not comma.whitespace_after.value:
            comma = comma.with_changes(whitespace_after=cst.SimpleWhitespace(" "))
        elif isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace):
            comma = comma.with_changes(
                whitespace_after=_with_last_line(comma.whitespace_after, between.whitespace_after)
            )
        changed = changed.with_changes(
            posonly_ind=slash.with_changes(comma=comma, whitespace_after=cst.SimpleWhitespace(""))
        )
    for position in range(len(added)):
        if position < len(added) - 1 or has_more or star is not None:
            added[position] = added[position].with_changes(comma=between)
    changed = changed.with_changes(params=[*existing, *added])
    if has_more or was_last is None:
        return changed
    end = _ended_like(was_last)
    if star is not None and isinstance(changed.star_arg, cst.Param):
        return changed.with_changes(star_arg=changed.star_arg.with_changes(**end))
    if added:
        return changed.with_changes(params=[*existing, *added[:-1], added[-1].with_changes(**end)])
    return changed


def _ended_like(was: cst.Param | cst.ParamSlash) -> dict[str, object]:
    comma = was.comma if isinstance(was.comma, cst.Comma) else cst.MaybeSentinel.DEFAULT
    return {"comma": _no_comment(comma), "whitespace_after_param": _space_after(was)}


def _plain_comma() -> cst.Comma:
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _between(params: cst.Parameters) -> cst.Comma:
    """The comma between two parameters of this list, its comments left out."""
    every = [*params.posonly_params, *params.params]
    inner = [p.comma for p in every[1:-1] if isinstance(p.comma, cst.Comma)]
    first = every[0].comma if every and len(every) > 1 else None
    model = inner[0] if inner else first
    plain = _no_comment(model) if isinstance(model, cst.Comma) else None
    return plain if isinstance(plain, cst.Comma) else _plain_comma()


def _followed(param: cst.Param, between: cst.Comma) -> cst.Param:
    """The parameter that was the last one, now followed by another: its comment stays."""
    own = param.comma
    if isinstance(own, cst.Comma) and _comment(own) is not None:
        kept = own.with_changes(whitespace_after=_with_last_line(own.whitespace_after, between.whitespace_after))
        if isinstance(between.whitespace_after, cst.ParenthesizedWhitespace):
            return param.with_changes(comma=kept, whitespace_after_param=cst.SimpleWhitespace(""))
        return param.with_changes(comma=own, whitespace_after_param=cst.SimpleWhitespace(""))
    return param.with_changes(comma=between, whitespace_after_param=cst.SimpleWhitespace(""))


def without_deleted(names: frozenset[str]) -> NodeEdit:
    """Take names out of a ``del`` statement; a ``del`` of nothing else becomes ``pass``."""

    def edit(node: cst.CSTNode) -> cst.CSTNode:
        if not isinstance(node, cst.Del):
            return node
        if isinstance(node.target, (cst.Tuple, cst.List)):
            kept = [e for e in node.target.elements if not _is_one_of(e.value, names)]
            if len(kept) == len(node.target.elements):
                return node
            if not kept:
                return cst.Pass(semicolon=node.semicolon)
            if len(kept) == 1 and isinstance(node.target, cst.Tuple) and not node.target.lpar:
                return node.with_changes(target=kept[0].value)
            kept[-1] = kept[-1].with_changes(comma=node.target.elements[-1].comma)
            return node.with_changes(target=node.target.with_changes(elements=kept))
        return cst.Pass(semicolon=node.semicolon) if _is_one_of(node.target, names) else node

    return edit


def _is_one_of(node: cst.BaseExpression, names: frozenset[str]) -> bool:
    return isinstance(node, cst.Name) and node.value in names
