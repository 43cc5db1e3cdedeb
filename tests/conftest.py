"""What several test modules use."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from codemods.engine.rewrite import rewrite
from codemods.types import BwdStyle, FileResult, Settings, SourceFile

Rewriter = Callable[..., FileResult]


@pytest.fixture
def migrate() -> Rewriter:
    """Rewrite dedented source (or bytes); keywords are settings."""

    def run(source: str | bytes, **settings: object) -> FileResult:
        data = dedent(source).lstrip("\n").encode() if isinstance(source, str) else source
        return rewrite(SourceFile("case.py", data), Settings(**settings))  # type: ignore[arg-type]

    return run


@pytest.fixture(params=list(BwdStyle), ids=lambda style: style.value)
def bwd(request: pytest.FixtureRequest) -> BwdStyle:
    """Both styles in which a value-returning ``vjp_bwd`` is migrated."""
    style: BwdStyle = request.param
    return style
