"""What the docs show is what the tool does."""

from __future__ import annotations

import difflib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.engine.rewrite import rewrite
from codemods.rules import rule_docs
from codemods.types import BwdStyle, Settings, SourceFile

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_rule_pages_are_current() -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate.py", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("block", "bwd"), [(0, BwdStyle.RETVAL), (1, BwdStyle.ACCUM)], ids=["retval", "accum"])
def test_the_readme_shows_a_real_diff(block: int, bwd: BwdStyle) -> None:
    found = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert found is not None
    result = rewrite(SourceFile("readme.py", found[1].encode()), Settings(bwd=bwd))
    lines = difflib.unified_diff(found[1].splitlines(), result.after.decode().splitlines(), lineterm="", n=50)
    real = list(lines)[3:]
    shown = re.findall(r"```diff\n(.*?)```", README, re.DOTALL)[block].splitlines()
    for line in shown:
        assert line == "…" or line in real, line
    changed = [line for line in shown if line[:1] in "+-" and line != "…"]
    assert len(changed) >= 4


def test_the_readme_lists_every_rule() -> None:
    for doc in rule_docs():
        assert f"| {doc.meta.code} | [`{doc.meta.name}`](docs/rules/{doc.meta.name}.md) |" in README


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page}: {target}"
