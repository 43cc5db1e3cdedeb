"""The classes that the tool finds in the installed jax are those that Python finds: the fast part of `make corpus`."""

from __future__ import annotations

from pathlib import Path

import pytest

from codemods import pipeline
from codemods.types import Settings
from tools.corpus import compare, copy_of, truth_of


def test_every_primitive_class_of_jax_is_found_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    # Every module of jax that defines a primitive names hijax; `make corpus` imports the others, too.
    truth = truth_of("jax", mentioning="hijax")
    assert truth.classes
    copy = copy_of(truth.package, tmp_path)
    report = pipeline.classes([str(copy)], Settings(root=str(tmp_path)))
    assert report.run.errors == 0
    found = [
        {
            "path": one.path,
            "line": one.line,
            "name": one.name,
            "verdict": "primitive" if one.is_primitive else "unknown",
        }
        for one in report.classes
    ]
    result = compare(found, copy, truth)
    assert (sorted(result.missed), sorted(result.wrong)) == ([], [])
    assert truth.classes <= result.found
