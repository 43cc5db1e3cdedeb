"""Unified diffs of bytes that ``git apply`` accepts.

Lines end at ``\\n`` only: form feeds, lone ``\\r``, U+2028 and the like belong to their line, as git and patch see it.
There is no ``diff --git`` line, so git takes the paths as relative to the folder that it runs in.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from difflib import SequenceMatcher

CONTEXT = 3

_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def unified_diff(before: bytes, after: bytes, old: str, new: str) -> bytes:
    """The diff with ``old`` and ``new`` as the paths in its header; empty if nothing differs."""
    if before == after:
        return b""
    header = b"--- " + _name(old) + b"\n+++ " + _name(new) + b"\n"
    return header + b"".join(_hunks(_lines(before), _lines(after)))


def quoted(path: str) -> bytes:
    """A path as git writes it: as it is, or in quotes with C escapes where it holds other than printable ASCII."""
    raw = os.fsencode(path)
    if all(32 <= byte < 127 and byte not in _ESCAPES for byte in raw):
        return raw
    return b'"' + b"".join(_ESCAPES.get(byte) or _byte(byte) for byte in raw) + b'"'


def _byte(byte: int) -> bytes:
    return bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte


def _name(path: str) -> bytes:
    name = quoted(path)
    # As git and GNU diff do: the tab ends a name with blanks, which else might be taken for a time stamp.
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    last = lines.pop()
    return [line + b"\n" for line in lines] + ([last] if last else [])


def _hunks(before: list[bytes], after: list[bytes]) -> Iterator[bytes]:
    for group in _groups(before, after):
        first, last = group[0], group[-1]
        yield b"@@ -%s +%s @@\n" % (_range(first[1], last[2]), _range(first[3], last[4]))
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                yield from (_line(b" ", line) for line in before[old_start:old_end])
                continue
            yield from (_line(b"-", line) for line in before[old_start:old_end])
            yield from (_line(b"+", line) for line in after[new_start:new_end])


def _groups(before: list[bytes], after: list[bytes]) -> Iterator[list[tuple[str, int, int, int, int]]]:
    """difflib's groups with positions in the whole file; only what lies between equal ends is compared."""
    head = 0
    shorter = min(len(before), len(after))
    while head < shorter and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    # Enough equal lines stay on both sides for the context.
    head, tail = max(0, head - CONTEXT), max(0, tail - CONTEXT)
    middle = before[head : len(before) - tail], after[head : len(after) - tail]
    for group in SequenceMatcher(None, *middle, autojunk=False).get_grouped_opcodes(CONTEXT):
        yield [(tag, a + head, b + head, c + head, d + head) for tag, a, b, c, d in group]


def _range(start: int, end: int) -> bytes:
    length = end - start
    if length == 1:
        return b"%d" % (start + 1)
    return b"%d,%d" % (start + 1 if length else start, length)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"
