"""Suppression comments: ``# hijax-codemods: ignore``, ``ignore[rule]``, ``skip-file`` and ``# noqa: HJX101``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from codemods.types import RuleMeta, UnusedSuppression

# After `ignore` only a bracket with rules or the end of the word: `ignored` and `ignore-file` say something else.
_IGNORE = re.compile(r"#\s*hijax-codemods:\s*ignore(?:\[([^\]]*)\]|(?![\w\-]|\s*\[))", re.IGNORECASE)
_SKIP_FILE = re.compile(r"#\s*hijax-codemods:\s*skip-file", re.IGNORECASE)
_NOQA = re.compile(r"#\s*noqa\s*:\s*([A-Z]+[0-9]+(?:[\s,;]+[A-Z]+[0-9]+)*)", re.IGNORECASE)


@dataclass(frozen=True)
class CommentLine:
    """A comment and where it stands (1-based)."""

    line: int
    column: int
    text: str


class Suppressions:
    """The suppression comments of one file; remembers which of them were needed."""

    def __init__(self, comments: list[CommentLine]) -> None:
        self._by_line: dict[int, list[tuple[CommentLine, frozenset[str] | None]]] = {}
        self._used: set[CommentLine] = set()
        self.skips_file = any(_SKIP_FILE.match(comment.text) for comment in comments)
        for comment in comments:
            for match in _IGNORE.finditer(comment.text):
                self._add(comment, _names(match.group(1)) if match.group(1) is not None else None)
            for match in _NOQA.finditer(comment.text):
                codes = frozenset(code for code in _names(match.group(1)) if code.startswith("hjx"))
                if codes:
                    self._add(comment, codes)

    def __bool__(self) -> bool:
        return bool(self._by_line)

    def _add(self, comment: CommentLine, rules: frozenset[str] | None) -> None:
        self._by_line.setdefault(comment.line, []).append((comment, rules))

    def covers(self, meta: RuleMeta, lines: tuple[int, ...]) -> bool:
        """Whether a comment on one of ``lines`` keeps the rule off."""
        is_covered = False
        for line in lines:
            for comment, rules in self._by_line.get(line, ()):
                if rules is None or meta.name in rules or meta.code.lower() in rules:
                    self._used.add(comment)
                    is_covered = True
        return is_covered

    def unused(self) -> tuple[UnusedSuppression, ...]:
        """The comments that kept no rule off anything."""
        every = {comment for entries in self._by_line.values() for comment, _ in entries}
        left = sorted(every - self._used, key=lambda comment: (comment.line, comment.column))
        return tuple(UnusedSuppression(c.line, c.column, c.text) for c in left)


def _names(text: str) -> frozenset[str]:
    return frozenset(name.strip().lower() for name in re.split(r"[,;\s]+", text) if name.strip())
