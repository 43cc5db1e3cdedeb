"""Behaviour: the gradients of what was rewritten are those that the original's author meant, in both styles.

Each file in ``cases/behaviour`` is a module in the old style. Its findings and its diff are a snapshot; its gradients
are compared by jax (``gradients``).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from pytest_snapshot.plugin import Snapshot  # type: ignore[import-untyped]

from codemods.engine.rewrite import rewrite
from codemods.types import BwdStyle, FileResult, FileStatus, Settings, SourceFile
from tests.jax_release import skip_without_jax
from tests.snapshot_text import render

HERE = Path(__file__).parent
CASES = sorted((HERE / "cases" / "behaviour").glob("*.py"))

STAY_AS_THEY_ARE = {
    ("commented_conditional", BwdStyle.ACCUM): "the comment has no place in the `if` statement",
    ("return_in_try", BwdStyle.ACCUM): "the handler could accumulate a second time",
    ("self_call", BwdStyle.ACCUM): "accumulators give no value to the method that wants one",
    ("super_call_used", BwdStyle.ACCUM): "accumulators give no value to the rule that computes with it",
}
"""What a person must do, and why."""


@cache
def rewritten(case: Path, bwd: BwdStyle) -> FileResult:
    return rewrite(SourceFile(case.name, case.read_bytes()), Settings(bwd=bwd))


@pytest.fixture(params=CASES, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest) -> Path:
    path: Path = request.param
    return path


def test_findings_and_diff(case: Path, bwd: BwdStyle, snapshot: Snapshot) -> None:
    result = rewritten(case, bwd)
    assert result.error is None
    stays = STAY_AS_THEY_ARE.get((case.stem, bwd))
    assert result.status is (FileStatus.UNCHANGED if stays else FileStatus.CHANGED), render(result)
    assert bool(result.manual) is bool(stays), "a case is migrated as a whole, or not at all"
    snapshot.snapshot_dir = HERE / "snapshots" / "behaviour" / case.stem
    snapshot.assert_match(render(result), f"{bwd.value}.txt")


def test_a_second_run_changes_nothing(case: Path, bwd: BwdStyle) -> None:
    once = rewritten(case, bwd)
    for style in BwdStyle:
        again = rewrite(SourceFile(case.name, once.after), Settings(bwd=style))
        if (case.stem, bwd) not in STAY_AS_THEY_ARE:
            assert (again.after, again.changes, again.manual) == (once.after, (), ()), render(again)


def test_gradients(case: Path, bwd: BwdStyle) -> None:
    if (case.stem, bwd) in STAY_AS_THEY_ARE:
        return
    skip_without_jax()
    from tests.gradients import compare, load_module

    result = rewritten(case, bwd)
    before = load_module(result.before.decode(), f"{case.stem}_before")
    compare(before, load_module(result.after.decode(), f"{case.stem}_{bwd.value}"))


def test_the_original_fails(case: Path) -> None:
    """As jax runs it, so that there is something to migrate."""
    skip_without_jax()
    from tests.gradients import load_module, works

    assert not works(load_module(case.read_text(encoding="utf-8"), f"{case.stem}_original"))
