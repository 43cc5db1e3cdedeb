"""Where the nodes of a tree stand in the original text (1-based lines and columns, columns in code points)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from codemods.engine.splice import LineMap
from codemods.engine.suppress import CommentLine


@dataclass(frozen=True)
class Span:
    """Where a finding is shown. ``lines`` are those on which a suppression comment counts."""

    line: int
    column: int
    end_line: int
    lines: tuple[int, ...]


class Positions:
    """Positions of the nodes of one parsed module."""

    def __init__(self, module: cst.Module, lines: LineMap) -> None:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._ranges = wrapper.resolve(PositionProvider)
        self._lines = lines

    def has(self, node: cst.CSTNode) -> bool:
        """Whether a node is one of this module."""
        return node in self._ranges

    def _line(self, generated: int) -> int:
        return self._lines.nearest(generated - 1) + 1

    def span(self, node: cst.CSTNode) -> Span:
        """The span of a node; of a function or class, from its ``def`` or ``class``."""
        place = self._ranges[node]
        first = last = place.start.line
        decorators: tuple[int, ...] = ()
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            first = self._ranges[node.name].start.line
            last = self._header_end(node, first)
            decorators = tuple(self._line(self._ranges[d].start.line) for d in node.decorators)
        else:
            last = place.end.line
        line = self._line(first)
        lines = tuple(dict.fromkeys((line, self._line(last), *decorators)))
        return Span(line, place.start.column + 1, self._line(place.end.line), lines)

    def _header_end(self, node: cst.FunctionDef | cst.ClassDef, first: int) -> int:
        body = node.body
        if isinstance(body, cst.IndentedBlock):
            return self._ranges[body.header].start.line
        start: CodeRange = self._ranges[body]
        return max(first, start.start.line)

    def lines_of(self, node: cst.CSTNode) -> tuple[int, ...]:
        """The lines on which a suppression comment for ``node`` may stand: its own, and those of what it is in."""
        span = self.span(node)
        around = [outer.lines for outer in self._definitions if outer.line <= span.line <= outer.end_line]
        return tuple(dict.fromkeys((*span.lines, *(line for lines in around for line in lines))))

    @cached_property
    def _definitions(self) -> list[Span]:
        return [self.span(node) for node in self._ranges if isinstance(node, (cst.FunctionDef, cst.ClassDef))]

    def comments(self) -> list[CommentLine]:
        """Every comment of the module."""
        return [
            CommentLine(self._line(place.start.line), place.start.column + 1, node.value)
            for node, place in self._ranges.items()
            if isinstance(node, cst.Comment)
        ]
