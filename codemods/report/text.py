"""Text for people: the diff, one line a finding, and the notes with the summary.

Control characters never reach a terminal: neither those of paths and messages, nor, where a person looks at it, those
of the source in a diff.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from codemods.engine.hunks import unified_diff
from codemods.types import Change, FileError, FileResult, ManualItem, RunReport

BOLD, _RED, _GREEN, CYAN, YELLOW, _RESET = (f"\x1b[{code}m" for code in ("1", "31", "32", "36", "33", "0"))

# C0, DEL, C1, the marks that reorder text, line separators, and bytes of a path that are no text.
_HARMFUL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Look:
    """How a stream is written: with colours, and with the source's own control characters shown as escapes."""

    color: bool = False
    harmless: bool = False

    def paint(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self.color else text


@dataclass(frozen=True)
class Detail:
    """How much is said besides the result. ``applied``: the changes were made, not only shown."""

    quiet: bool = False
    verbose: bool = False
    statistics: bool = False
    applied: bool = False


def harmless(text: str, keep: str = "") -> str:
    """The text with control characters, except those in ``keep``, written as escapes."""
    return _HARMFUL.sub(lambda m: m[0] if m[0] in keep else m[0].encode("unicode_escape").decode("ascii"), text)


def diff(report: RunReport, look: Look, prefix: str = "") -> bytes:
    """The unified diff of every changed file, in bytes as the files have them unless a person looks at it.

    ``prefix`` is the path of the working directory in its git work tree (``pkg/``).
    """
    patches = []
    for result, (old, new) in zip(report.changed, _labels(report, prefix), strict=True):
        patch = unified_diff(result.before, result.after, old, new)
        if look.color or look.harmless:
            text = patch.decode(result.encoding, errors="backslashreplace")
            patch = "".join(_shown(line, look) for line in text.split("\n")[:-1]).encode("utf-8", "backslashreplace")
        patches.append(patch)
    return b"".join(patches)


def _labels(report: RunReport, prefix: str) -> Iterator[tuple[str, str]]:
    """The paths in the headers: ``a/…`` and ``b/…`` from the working directory.

    In a folder ``pkg/`` of a work tree, ``git apply`` takes ``a/pkg/x.py`` for a path from the top of the work tree,
    and then looks for ``x.py``. So where a path starts like that, all headers of the diff start from the top.
    """
    paths = [result.path for result in report.changed]
    from_top = bool(prefix) and any(path.startswith(prefix) for path in paths)
    for path in paths:
        yield (prefix + path, prefix + path) if from_top else (f"a/{path}", f"b/{path}")


def _shown(line: str, look: Look) -> str:
    text = harmless(line.removesuffix("\r"), keep="\t")
    if line.startswith(("--- ", "+++ ")):
        return look.paint(BOLD, text) + "\n"
    code = {"@": CYAN, "-": _RED, "+": _GREEN}.get(line[:1])
    return (look.paint(code, text) if code else text) + "\n"


def lines(report: RunReport, look: Look, *, changes: bool = True, manual: bool = True) -> str:
    """One line a change or manual item, by path, line and column."""
    found: list[str] = []
    for result in report.files:
        chosen: list[Change | ManualItem] = [*(result.changes if changes else ()), *(result.manual if manual else ())]
        chosen.sort(key=lambda item: (item.line, item.column, item.code))
        found += [_line(result.path, item, look) + "\n" for item in chosen]
    return "".join(found)


def _line(path: str, item: Change | ManualItem, look: Look) -> str:
    place = look.paint(BOLD, harmless(f"{path}:{item.line}:{item.column}:"))
    code = look.paint(CYAN if isinstance(item, Change) else YELLOW, item.code)
    return f"{place} {code} [{item.rule}] {harmless(item.message)}"


def items(report: RunReport, look: Look) -> str:
    """Every manual item with what to do about it."""
    return "".join(
        _line(result.path, item, look) + "\n" + _help(item.help) for result in report.files for item in result.manual
    )


def _help(text: str) -> str:
    return f"    help: {harmless(text)}\n" if text else ""


def errors(report: RunReport, look: Look) -> str:
    """Every file that failed, with the stage, the reason and what to do about it."""
    return "".join(_error(result.path, result.error, look) for result in report.files if result.error is not None)


def _error(path: str, error: FileError, look: Look) -> str:
    place = f"{path}:{error.line}:{error.column or 1}:" if error.line is not None else f"{path}:"
    head = f"{look.paint(BOLD, harmless(place))} {look.paint(_RED, 'error')} [{error.stage.value}]"
    return f"{head} {harmless(error.message)}\n{_help(error.help)}"


def notes(report: RunReport, look: Look, detail: Detail) -> str:
    """What follows the errors and items: verbose notes, statistics, the summary. Nothing if quiet."""
    if detail.quiet:
        return ""
    parts = [empty(report)]
    if detail.verbose:
        parts += [_unused(result, look) for result in report.files]
    if detail.verbose or detail.statistics:
        parts.append(statistics(report))
    return "".join(parts) + summary(report, detail) + "\n"


def empty(report: RunReport) -> str:
    """A note for each folder that was named and holds no Python file."""
    return "".join(f"note: there is no Python file in {harmless(folder)}\n" for folder in report.empty_folders)


def _unused(result: FileResult, look: Look) -> str:
    found = ""
    for unused in result.unused_suppressions:
        place = look.paint(BOLD, harmless(f"{result.path}:{unused.line}:{unused.column}:"))
        found += f"{place} note: this suppresses nothing: {harmless(unused.text)}\n"
    return found


def statistics(report: RunReport) -> str:
    """One line a rule that found something: its changes and its manual items."""
    changes = Counter((c.code, c.rule) for result in report.files for c in result.changes)
    manual = Counter((m.code, m.rule) for result in report.files for m in result.manual)
    return "".join(
        f"{code} [{rule}] {count(changes[code, rule], 'change')}, {count(manual[code, rule], 'manual item')}\n"
        for code, rule in sorted({*changes, *manual})
    )


def summary(report: RunReport, detail: Detail) -> str:
    """The sentence that says what a run looked at and what came of it."""
    outcome: list[str] = []
    changed = len(report.changed)
    if changed:
        verb = "changed" if detail.applied else "would change"
        outcome.append(f"{count(changed, 'file')} {verb} ({count(report.changes, 'change')})")
    if report.manual:
        outcome.append(f"{count(report.manual, 'item')} {'needs' if report.manual == 1 else 'need'} you")
    if report.errors:
        outcome.append(count(report.errors, "error"))
    return f"{looked_at(report)}; {', '.join(outcome) or 'nothing to do'}."


def looked_at(report: RunReport) -> str:
    """The first half of the summary."""
    mention = "mentions" if report.files_mentioning == 1 else "mention"
    return (
        f"Scanned {count(report.files_seen, 'file')}, {report.files_mentioning:,} {mention} hijax, "
        f"{count(report.classes, 'primitive class', 'primitive classes')}"
    )


def count(number: int, one: str, many: str = "") -> str:
    """``1 file``, ``1,203 files``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
