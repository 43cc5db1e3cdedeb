"""What ``hijax-codemods classes`` found, for people and as JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

from codemods.report.json import SCHEMA, TOOL, error
from codemods.report.text import BOLD, CYAN, YELLOW, Look, count, harmless, looked_at
from codemods.types import ClassPlace, ClassReport, FoundClass


def text(report: ClassReport, look: Look, *, with_bases: bool = False) -> str:
    """Every class with its bases and rules; the unknown ones last. ``with_bases``: also where each base stands."""
    blocks = [_block(found, look, with_bases) for found in (*report.primitives, *report.unknown)]
    return "\n".join("".join(f"{line}\n" for line in block) for block in blocks)


def _block(found: FoundClass, look: Look, with_bases: bool) -> Iterator[str]:
    place = look.paint(BOLD, harmless(f"{found.path}:{found.line}:{found.column}:"))
    names = [found.name, *(base.name for base in found.bases)]
    if found.is_primitive:
        yield f"{place} {harmless(' < '.join(names))}"
    else:
        yield f"{place} {look.paint(YELLOW, 'unknown')} {harmless(' < '.join([*names, '?']))}"
    for base in found.bases if with_bases else ():
        if base.path is not None:
            yield f"    base {_of(base)}"
    for rule, origin in found.rules:
        style = f": {found.bwd_style}" if rule == "vjp_bwd" else ""
        yield f"    {look.paint(CYAN, rule)} {_of(origin)}{style}"
    for base_text in found.unknown_bases:
        yield f"    the base `{harmless(base_text)}` could not be found"
    if found.is_primitive and not found.rules and not found.unknown_bases:
        yield "    no rules"


def _of(place: ClassPlace) -> str:
    return harmless(f"({place.name}, {place.path}:{place.line})")


def summary(report: ClassReport) -> str:
    """The sentence that says what was looked at and what was found."""
    parts = [looked_at(report.run)]
    if report.unknown:
        parts.append(f"{count(len(report.unknown), 'class', 'classes')} of which it cannot be told")
    if report.run.errors:
        parts.append(count(report.run.errors, "error"))
    return f"{', '.join(parts)}."


def hint(report: ClassReport) -> str:
    """What to do about unknown bases."""
    if not report.unknown:
        return ""
    return (
        "    help: name the folder that holds their bases with --root, or an interpreter that has them with --python\n"
    )


def render(report: ClassReport) -> bytes:
    """One object of JSON, in ASCII, with a final newline."""
    failed = [(result.path, result.error) for result in report.run.files if result.error is not None]
    data = {
        "schema": SCHEMA,
        "tool": TOOL,
        "classes": [_json(found) for found in report.classes],
        "errors": [{"path": path, **error(problem)} for path, problem in failed],
    }
    return json.dumps(data, indent=2).encode("ascii") + b"\n"


def _json(found: FoundClass) -> dict[str, Any]:
    return {
        "path": found.path,
        "line": found.line,
        "column": found.column,
        "name": found.name,
        "verdict": "primitive" if found.is_primitive else "unknown",
        "bases": [dataclasses.asdict(base) for base in found.bases],
        "rules": {rule: _origin(origin) for rule, origin in found.rules},
        "bwd_style": found.bwd_style,
        "unknown_bases": list(found.unknown_bases),
    }


def _origin(place: ClassPlace) -> dict[str, Any]:
    return {"class": place.name, "path": place.path, "line": place.line}
