"""What ``hijax-codemods rules`` shows: the table of rules, and all that one rule says of itself."""

from __future__ import annotations

from collections.abc import Sequence

from codemods.types import Example, RuleDoc


def table(docs: Sequence[RuleDoc]) -> str:
    """One line a rule: code, name, safety, summary."""
    rows = [(doc.meta.code, doc.meta.name, _kind(doc), doc.summary) for doc in docs]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    lines = (f"{a:{widths[0]}}  {b:{widths[1]}}  {c:{widths[2]}}  {text}\n" for a, b, c, text in rows)
    return _plain("".join(lines))


def page(doc: RuleDoc) -> str:
    """A rule's summary, explanation and examples."""
    parts = [f"{doc.meta.code} {doc.meta.name} ({_kind(doc)})", "", _plain(doc.summary)]
    if doc.explanation:
        parts += ["", _plain(doc.explanation)]
    return "\n".join([*parts, *(line for example in doc.examples for line in _example(example))]) + "\n"


def _plain(text: str) -> str:
    """Docstrings mark code as reStructuredText does, in double backquotes; a terminal shows single ones better."""
    return text.replace("``", "`")


def _kind(doc: RuleDoc) -> str:
    kind = doc.meta.safety.value if doc.meta.rewrites else "reports"
    return kind if doc.meta.default else f"{kind}, off"


def _example(example: Example) -> list[str]:
    head = ["", f"Example: {example.title}"]
    if example.after is None:
        return [*head, "  left as it is:", *_indented(example.before)]
    return [*head, "  before:", *_indented(example.before), "  after:", *_indented(example.after)]


def _indented(source: str) -> list[str]:
    return [f"    {line}".rstrip() for line in source.strip("\n").split("\n")]
