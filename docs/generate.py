"""Write docs/rules/ from the rules: `make docs`. With --check, fail where a page is not current."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from codemods.rules import rule_docs  # noqa: E402
from codemods.types import RuleDoc  # noqa: E402

RULES = ROOT / "docs" / "rules"


def kind(doc: RuleDoc) -> str:
    """What a rule does, in two or three words."""
    off = "" if doc.meta.default else ", off unless selected"
    return f"rewrites ({doc.meta.safety.value}){off}" if doc.meta.rewrites else f"reports{off}"


def markdown(text: str) -> str:
    """Docstring markup to Markdown."""
    return text.replace("``", "`")


def page(doc: RuleDoc) -> str:
    """The page of one rule."""
    parts = [f"# {doc.meta.code} `{doc.meta.name}`", markdown(doc.summary), f"Kind: {kind(doc)}."]
    parts.append(markdown(doc.explanation))
    for example in doc.examples:
        parts.append(f"## Example: {example.title}")
        if example.after is None:
            parts += ["Left alone:", f"```python\n{example.before}```"]
        else:
            parts += ["Before:", f"```python\n{example.before}```", "After:", f"```python\n{example.after}```"]
    return "\n\n".join(parts) + "\n"


def index() -> str:
    """The table of all rules."""
    rows = [
        f"| [{doc.meta.code}]({doc.meta.name}.md) | `{doc.meta.name}` | {markdown(doc.summary)} | {kind(doc)} |"
        for doc in rule_docs()
    ]
    head = ["# Rules", "", "Written by `make docs` from the rules themselves.", ""]
    return "\n".join([*head, "| code | name | what it does | kind |", "|---|---|---|---|", *rows]) + "\n"


def pages() -> dict[Path, str]:
    """Every page with its text."""
    return {RULES / "README.md": index(), **{RULES / f"{doc.meta.name}.md": page(doc) for doc in rule_docs()}}


def main(arguments: list[str]) -> int:
    """Write the pages, or compare them."""
    wanted = pages()
    have = {path: path.read_text(encoding="utf-8") for path in RULES.glob("*.md")}
    if "--check" in arguments:
        wrong = sorted(str(p.relative_to(ROOT)) for p in {*wanted, *have} if wanted.get(p) != have.get(p))
        print("\n".join([f"not current: {path}" for path in wrong] + (["run `make docs`"] if wrong else [])))
        return 1 if wrong else 0
    RULES.mkdir(exist_ok=True)
    for path in have.keys() - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    print(f"{len(wanted)} pages in {RULES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
