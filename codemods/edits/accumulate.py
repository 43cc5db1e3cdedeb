"""Edits that turn a returned value into accumulator calls and ``return None``, its comments kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from codemods.edits.build import call, line, map_accumulators, tuple_of
from codemods.edits.returns import ReturnStyle, as_tuple, bare
from codemods.hijax.values import ValueKind


@dataclass
class _Lines:
    """Statement lines under way, with the comments that wait for the next one."""

    newline: cst.Newline
    leading: list[cst.EmptyLine]
    made: list[cst.BaseStatement]

    def add(self, expression: cst.BaseExpression, comment: cst.Comment | None = None) -> None:
        self.made.append(line(cst.Expr(expression), self._take(), comment, self.newline))

    def note(self, comment: cst.Comment | None) -> None:
        if comment is not None:
            self.leading.append(cst.EmptyLine(comment=comment, newline=self.newline))

    def _take(self) -> list[cst.EmptyLine]:
        taken, self.leading = self.leading, []
        return taken

    def end(self, trailing: cst.TrailingWhitespace) -> list[cst.BaseStatement]:
        last = cst.SimpleStatementLine(
            [cst.Return(cst.Name("None"))], leading_lines=self._take(), trailing_whitespace=trailing
        )
        return [*self.made, last]


def accumulate(
    style: ReturnStyle,
    old: cst.BaseExpression,
    new: cst.BaseExpression,
    leading: Sequence[cst.EmptyLine],
    trailing: cst.TrailingWhitespace,
) -> list[cst.BaseStatement]:
    """The statements that accumulate a returned value, ending in ``return None``."""
    lines = _Lines(trailing.newline, list(leading), [])
    _spread(style, old, new, lines)
    return lines.end(trailing)


def _spread(style: ReturnStyle, old: cst.BaseExpression, new: cst.BaseExpression, lines: _Lines) -> None:
    if isinstance(old, cst.IfExp) and isinstance(new, cst.IfExp) and _branches(style, old):
        _if_else(style, old, new, lines)
        return
    kind = style.values.of(old).kind
    if kind is ValueKind.RULE_CALL and isinstance(new, cst.Call):
        lines.add(new)
    elif isinstance(old, (cst.Tuple, cst.List)) and style.is_spread(old) and isinstance(new, (cst.Tuple, cst.List)):
        _display(style, old, new, lines)
    elif kind is ValueKind.LEAF and style.star is None:
        lines.add(_accum(style.accumulators[0], new))
    else:
        assert style.jax is not None
        lines.add(map_accumulators(style.jax, _all_accumulators(style), _in_parentheses(as_tuple(style, old, new))))


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.Tuple) and not node.lpar:
        return node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return node


def _branches(style: ReturnStyle, node: cst.BaseExpression) -> bool:
    """Whether a conditional has a display in one of its arms, which reads better as ``if``/``else``."""
    if isinstance(node, cst.IfExp):
        return _branches(style, node.body) or _branches(style, node.orelse)
    return isinstance(node, (cst.Tuple, cst.List)) or style.values.of(node).kind is ValueKind.RULE_CALL


def _if_else(style: ReturnStyle, old: cst.IfExp, new: cst.IfExp, lines: _Lines) -> None:
    blocks: list[cst.IndentedBlock] = []
    for old_arm, new_arm in ((old.body, new.body), (old.orelse, new.orelse)):
        arm = _Lines(lines.newline, [], [])
        _spread(style, old_arm, new_arm, arm)
        body = arm.made or [line(cst.Pass(), newline=lines.newline)]
        header = cst.TrailingWhitespace(newline=lines.newline)
        blocks.append(cst.IndentedBlock(body, header=header, indent=style.indent))
        for left in arm.leading:
            lines.leading.append(left)
    taken, lines.leading = lines.leading, []
    is_empty = isinstance(blocks[1].body[0], cst.SimpleStatementLine) and isinstance(
        blocks[1].body[0].body[0], cst.Pass
    )
    orelse = None if is_empty else cst.Else(blocks[1])
    lines.made.append(cst.If(_on_one_line(new.test), blocks[0], orelse=orelse, leading_lines=taken))


def _on_one_line(test: cst.BaseExpression) -> cst.BaseExpression:
    """A condition that went over several lines inside parentheses needs parentheses of its own."""
    code = cst.Module([]).code_for_node(test)
    if ("\n" in code or "\r" in code) and not test.lpar:
        return test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    return test


def _display(style: ReturnStyle, old: cst.Tuple | cst.List, new: cst.Tuple | cst.List, lines: _Lines) -> None:
    for comment in _comments_of(_opening(new)):
        lines.note(comment)
    closing = _closing(new)
    for position, (was, now) in enumerate(zip(old.elements, new.elements, strict=True)):
        is_last = position == len(new.elements) - 1
        same_line, below = _split(now.comma.whitespace_after if isinstance(now.comma, cst.Comma) else None)
        if is_last:  # what stands before the closing bracket belongs to the last one
            closing_comment, closing_below = _split(closing)
            below = [*below, *([closing_comment] if same_line is not None and closing_comment else []), *closing_below]
            same_line = same_line or closing_comment
        if isinstance(now.comma, cst.Comma):
            for comment in _comments_of(now.comma.whitespace_before):
                lines.note(comment)
        if style.is_nothing(was.value):
            lines.note(same_line)
        else:
            lines.add(_element(style, was.value, now.value, position), same_line)
        for comment in below:
            lines.note(comment)


def _element(style: ReturnStyle, old: cst.BaseExpression, new: cst.BaseExpression, position: int) -> cst.Call:
    accumulator = style.accumulators[position]
    if style.is_leaf(old, position):
        return _accum(accumulator, new)
    assert style.jax is not None
    return map_accumulators(style.jax, cst.Name(accumulator), new)


def _accum(accumulator: str, ct: cst.BaseExpression) -> cst.Call:
    return call(cst.Attribute(cst.Name(accumulator), cst.Name("accum")), bare(ct))


def _all_accumulators(style: ReturnStyle) -> cst.BaseExpression:
    if style.star is not None and not style.accumulators:
        return cst.Name(style.star)
    named: list[cst.BaseExpression] = [cst.Name(name) for name in style.accumulators]
    if style.star is None:
        return tuple_of(named)
    elements: list[cst.BaseElement] = [cst.Element(name) for name in named]
    return cst.Tuple([*elements, cst.StarredElement(cst.Name(style.star))])


def _opening(node: cst.Tuple | cst.List) -> cst.BaseParenthesizableWhitespace:
    if isinstance(node, cst.List):
        return node.lbracket.whitespace_after
    return node.lpar[-1].whitespace_after if node.lpar else cst.SimpleWhitespace("")


def _closing(node: cst.Tuple | cst.List) -> cst.BaseParenthesizableWhitespace:
    if isinstance(node, cst.List):
        return node.rbracket.whitespace_before
    return node.rpar[0].whitespace_before if node.rpar else cst.SimpleWhitespace("")


def _split(space: cst.BaseParenthesizableWhitespace | None) -> tuple[cst.Comment | None, list[cst.Comment]]:
    """The comment on the same line, and those on lines of their own."""
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return None, []
    below = [empty.comment for empty in space.empty_lines if empty.comment is not None]
    return space.first_line.comment, below


def _comments_of(space: cst.BaseParenthesizableWhitespace) -> list[cst.Comment]:
    same_line, below = _split(space)
    return ([same_line] if same_line is not None else []) + below
