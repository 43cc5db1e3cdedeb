"""Every rule's own examples, run as tests, and each rule alone as a LibCST codemod command."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.engine.rewrite import rewrite
from codemods.rules import rule_classes, rule_docs
from codemods.types import BwdStyle, Example, RuleDoc, Settings, SourceFile

ROOT = Path(__file__).parent.parent
EXAMPLES = [(doc, example) for doc in rule_docs() for example in doc.examples]


@pytest.mark.parametrize(("doc", "example"), EXAMPLES, ids=[f"{d.meta.name}: {e.title}" for d, e in EXAMPLES])
def test_example(doc: RuleDoc, example: Example) -> None:
    settings = Settings(bwd=doc.meta.bwd or BwdStyle.RETVAL, select=(doc.meta.name,))
    result = rewrite(SourceFile("example.py", example.before.encode()), settings)
    assert result.error is None and result.manual == ()
    assert result.after.decode() == (example.after if example.after is not None else example.before)
    assert bool(result.changes) == (example.after is not None)
    assert {change.code for change in result.changes} <= {doc.meta.code}


def test_every_rule_is_documented() -> None:
    codes = [doc.meta.code for doc in rule_docs()]
    assert codes == sorted(set(codes)) and len(codes) >= 9
    for doc in rule_docs():
        assert doc.summary.endswith(".") and "\n" not in doc.summary and len(doc.explanation) > 80
        assert doc.examples, doc.meta.name
        assert not doc.meta.rewrites or any(example.after is not None for example in doc.examples)
        assert any(example.after is None for example in doc.examples)


def test_rules_do_not_import_each_other() -> None:
    names = {rule.__module__ for rule in rule_classes()}
    for name in names:
        text = Path(str(importlib.import_module(name).__file__)).read_text(encoding="utf-8")
        assert not [other for other in names - {name} if f"from {other} " in text or f"import {other}" in text]


@pytest.mark.parametrize("rule", [r for r in rule_classes() if r.META.rewrites], ids=lambda r: r.META.name)
def test_runs_alone_as_a_libcst_command(rule: type, tmp_path: Path) -> None:
    doc = next(d for d in rule_docs() if d.meta == rule.META)  # type: ignore[attr-defined]
    example = next(e for e in doc.examples if e.after is not None)
    path = tmp_path / "example.py"
    path.write_text(example.before, encoding="utf-8")
    command = f"{rule.__module__}.{rule.__name__.removesuffix('Rule')}"
    done = subprocess.run(
        [sys.executable, "-m", "libcst.tool", "codemod", "-x", "--no-format", command, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert path.read_text(encoding="utf-8") == example.after


def test_other_attributes_of_a_rule_module_are_missing_as_usual() -> None:
    module = importlib.import_module(rule_classes()[0].__module__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        module.Nothing  # noqa: B018
