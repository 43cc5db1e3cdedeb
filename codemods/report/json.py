"""The JSON report: one object, schema 1. Keys are never renamed or removed within a schema."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from codemods import __version__
from codemods.engine.hunks import unified_diff
from codemods.hijax.releases import NEWEST
from codemods.types import FileError, FileResult, RunReport, Settings

SCHEMA = 1
TOOL = {"name": "hijax-codemods", "version": __version__}


def render(report: RunReport) -> bytes:
    """The report as UTF-8 JSON (ASCII in fact, so that paths that are not text survive) with a final newline."""
    data = {
        "schema": SCHEMA,
        "tool": TOOL,
        "settings": _settings(report.settings),
        "summary": _summary(report),
        "files": [_file(result) for result in report.files if result.changes or result.manual or result.error],
    }
    return json.dumps(data, indent=2).encode("ascii") + b"\n"


def _settings(settings: Settings) -> dict[str, Any]:
    # Without a specifier the code must run on the newest release known.
    jax = settings.jax or f"=={NEWEST}"
    return {**dataclasses.asdict(settings), "bwd": settings.bwd.value, "jax": jax}


def _summary(report: RunReport) -> dict[str, int | float]:
    return {
        "files_seen": report.files_seen,
        "files_mentioning": report.files_mentioning,
        "files_parsed": report.files_parsed,
        "files_changed": len(report.changed),
        "changes": report.changes,
        "manual": report.manual,
        "errors": report.errors,
        "classes": report.classes,
        "seconds": round(report.seconds, 3),
    }


def _file(result: FileResult) -> dict[str, Any]:
    diff = unified_diff(result.before, result.after, f"a/{result.path}", f"b/{result.path}")
    return {
        "path": result.path,
        "status": result.status.value,
        "changes": [{**dataclasses.asdict(change), "safety": change.safety.value} for change in result.changes],
        "manual": [dataclasses.asdict(item) for item in result.manual],
        "error": None if result.error is None else error(result.error),
        "diff": diff.decode(result.encoding, errors="backslashreplace"),
    }


def error(found: FileError) -> dict[str, Any]:
    """Why a file failed."""
    return {**dataclasses.asdict(found), "stage": found.stage.value}
