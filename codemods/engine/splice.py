"""Carry an edit of LibCST's text over to the original text, byte for byte.

LibCST's text of an untouched tree is not always the original: it drops, for example, the blank in ``except X :``, a
form feed at the top and a comment that stands left of its block. An edit is therefore never written as LibCST's text
of the whole file: only the lines that the edit changed are, at the place where the original has the same lines.
"""

from __future__ import annotations

from difflib import SequenceMatcher

from codemods.engine.source import split_lines


class LineMap:
    """Which line of the original each line of LibCST's text is (0-based); None where the original differs there."""

    def __init__(self, original: str, generated: str) -> None:
        # White space that LibCST drops at the very end is put back as it was.
        self.tail = original[len(generated) :] if original.startswith(generated) else ""
        self.is_identity = not self.tail.strip() and original == generated + self.tail
        self.original = split_lines(original)
        self.generated = self.original if self.is_identity else split_lines(generated)
        self._lines: list[int | None] = []
        self._near: list[int] = []
        if not self.is_identity:
            self._align()

    def _align(self) -> None:
        for tag, g_from, g_to, o_from, o_to in _opcodes(self.generated, self.original):
            for offset in range(g_to - g_from):
                near = min(o_from + offset, max(o_to - 1, o_from))
                self._lines.append(o_from + offset if tag == "equal" else None)
                self._near.append(near)

    def exact(self, line: int) -> int | None:
        """The original line that equals generated ``line``, or None."""
        return line if self.is_identity else self._lines[line]

    def nearest(self, line: int) -> int:
        """The original line to show for generated ``line``."""
        return line if self.is_identity or line >= len(self._near) else self._near[line]


def splice(lines: LineMap, changed: str) -> str | None:
    """The original text with the edit that leads from LibCST's text to ``changed``; None if it cannot be carried over.

    It cannot when an edited line is one that LibCST does not reproduce.
    """
    if lines.is_identity:
        return changed + lines.tail
    new = split_lines(changed)
    out: list[str] = []
    done = 0
    for tag, g_from, g_to, n_from, n_to in _opcodes(lines.generated, new):
        if tag == "equal":
            continue
        span = _original_span(lines, g_from, g_to)
        if span is None or span[0] < done:
            return None
        out += lines.original[done : span[0]] + new[n_from:n_to]
        done = span[1]
    return "".join(out + lines.original[done:])


def _original_span(lines: LineMap, start: int, stop: int) -> tuple[int, int] | None:
    if start == stop:
        before = lines.exact(start - 1) if start else -1
        return None if before is None else (before + 1, before + 1)
    first = lines.exact(start)
    for offset in range(stop - start):
        if first is None or lines.exact(start + offset) != first + offset:
            return None
    return (first, first + stop - start) if first is not None else None


def _opcodes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    # The common head and tail go first: SequenceMatcher is quadratic and most of a file is untouched.
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    codes = [("equal", 0, head, 0, head)] if head else []
    codes += [(t, a + head, b + head, c + head, d + head) for t, a, b, c, d in middle.get_opcodes()]
    if tail:
        codes.append(("equal", len(old) - tail, len(old), len(new) - tail, len(new)))
    return codes
