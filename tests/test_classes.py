"""``hijax-codemods classes``: every primitive class with its bases and rules, and those that may be some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codemods import __version__
from tests.command import run
from tests.trees import write_tree

TREE = {
    "pkg/__init__.py": "",
    "pkg/base.py": """
        from jax.experimental import hijax

        class Base(hijax.HiPrim):
            def vjp_fwd(self, nzs_in, x):
                return x, x

            def vjp_bwd(self, res, g):
                return [g * res]
    """,
    "pkg/mixins.py": """
        class Batched:
            def batch(self, axis_data, args, dims):
                return args, dims
    """,
    "pkg/ops.py": """
        from pkg.base import Base
        from pkg.mixins import Batched

        class Mid(Base):
            vjp_bwd = None

        class Outer:
            class Leaf(Batched, Mid):
                def expand(self, x):
                    return x

                def vjp_bwd(self, res, g, x_acc):
                    x_acc.accum(g)
    """,
    "pkg/plain.py": """
        from pkg.mixins import Batched

        class Numerics(Batched):
            def vjp_fwd(self, x):
                return x, None

            def vjp_bwd(self, res, g):
                return (g, None)
    """,
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return write_tree(tmp_path, TREE)


def listed(*arguments: str) -> list[dict[str, Any]]:
    result = run("classes", "--format", "json", *arguments)
    assert result.exit_code == 0, result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)["classes"]
    return found


def test_text_shows_bases_and_where_each_rule_comes_from() -> None:
    result = run("classes")
    assert result.exit_code == 0
    assert result.stdout == (
        "pkg/base.py:3:1: Base < HiPrim\n"
        "    vjp_fwd (Base, pkg/base.py:4)\n"
        "    vjp_bwd (Base, pkg/base.py:7): returns cotangents\n"
        "\n"
        "pkg/ops.py:4:1: Mid < Base < HiPrim\n"
        "    vjp_fwd (Base, pkg/base.py:4)\n"
        "    vjp_bwd (Mid, pkg/ops.py:5): unclear\n"
        "\n"
        "pkg/ops.py:8:5: Outer.Leaf < Mid < Base < HiPrim\n"
        "    expand (Outer.Leaf, pkg/ops.py:9)\n"
        "    vjp_fwd (Base, pkg/base.py:4)\n"
        "    vjp_bwd (Outer.Leaf, pkg/ops.py:12): accumulates\n"
        "    batch (Batched, pkg/mixins.py:2)\n"
    )
    assert result.stderr == "Scanned 5 files, 1 mentions hijax, 3 primitive classes.\n"


def test_verbose_adds_where_the_bases_stand_and_quiet_takes_the_summary_away() -> None:
    assert "    base (Mid, pkg/ops.py:4)\n    base (Base, pkg/base.py:3)\n" in run("classes", "-v").stdout
    assert run("classes", "-q").stderr == ""


def test_json_has_one_object_a_class() -> None:
    result = run("classes", "--format", "json")
    report = json.loads(result.stdout)
    assert report["schema"] == 1
    assert report["tool"] == {"name": "hijax-codemods", "version": __version__}
    assert report["errors"] == []
    assert [found["name"] for found in report["classes"]] == ["Base", "Mid", "Outer.Leaf"]
    assert report["classes"][2] == {
        "path": "pkg/ops.py",
        "line": 8,
        "column": 5,
        "name": "Outer.Leaf",
        "verdict": "primitive",
        "bases": [
            {"name": "Mid", "path": "pkg/ops.py", "line": 4},
            {"name": "Base", "path": "pkg/base.py", "line": 3},
            {"name": "HiPrim", "path": None, "line": None},
        ],
        "rules": {
            "expand": {"class": "Outer.Leaf", "path": "pkg/ops.py", "line": 9},
            "vjp_fwd": {"class": "Base", "path": "pkg/base.py", "line": 4},
            "vjp_bwd": {"class": "Outer.Leaf", "path": "pkg/ops.py", "line": 12},
            "batch": {"class": "Batched", "path": "pkg/mixins.py", "line": 2},
        },
        "bwd_style": "accumulates",
        "unknown_bases": [],
    }


def test_only_classes_of_the_paths_are_listed_but_their_bases_are_followed() -> None:
    assert [found["name"] for found in listed("pkg/ops.py", "--root", ".")] == ["Mid", "Outer.Leaf"]


@pytest.mark.parametrize(
    ("source", "bases", "unknown"),
    [
        ("import lib\nclass Op(lib.Thing):\n    def vjp_bwd(self, res, g): return g\n", [], ["lib.Thing"]),
        ("import lib  # hijax\nclass Op(lib.QuantPrim): pass\n", [], ["lib.QuantPrim"]),
        ("import lib  # hijax\nclass Op(lib.MyPrimitive[int]): pass\n", [], ["lib.MyPrimitive[int]"]),
        ("import lib  # hijax\nclass Op(lib.Primary): pass\n", None, []),
        ("import lib  # hijax\nclass Op(lib.Thing): pass\n", None, []),
        (
            "import lib\nclass Mid(lib.Thing): pass\nclass Op(Mid):\n    def vjp_bwd(self, res, g): return g\n",
            ["Mid"],
            ["lib.Thing"],
        ),
        ("def make(): ...\nclass Op(make('x')):\n    def vjp_bwd(self, res, g): return g\n", [], ["make('x')"]),
    ],
)
def test_what_cannot_be_told(source: str, bases: list[str] | None, unknown: list[str]) -> None:
    Path("one.py").write_text(source, encoding="utf-8")
    found = listed("one.py")
    if bases is None:
        assert found == []
        return
    (op,) = found
    assert (op["name"], op["verdict"], op["unknown_bases"]) == ("Op", "unknown", unknown)
    assert [base["name"] for base in op["bases"]] == bases
    result = run("classes", "one.py")
    assert f"the base `{unknown[0]}` could not be found" in result.stdout
    assert ": unknown Op < " in result.stdout
    assert "1 class of which it cannot be told" in result.stderr
    assert "--python" in result.stderr


def test_jax_itself_is_looked_at_without_its_base_class() -> None:
    base = "class HiPrim:\n    def vjp_bwd(self, res, g, *accs): pass\nclass Scan(HiPrim):\n    pass\n"
    write_tree(Path("src"), {"jax/__init__.py": "", "jax/_src/__init__.py": "", "jax/_src/hijax.py": base})
    (scan,) = listed("src")
    assert (scan["name"], scan["rules"], scan["bwd_style"]) == ("Scan", {}, None)
    assert [one["name"] for one in scan["bases"]] == ["HiPrim"]


@pytest.mark.parametrize(
    ("base", "name"),
    [("hijax.VJPHiPrimitive", "VJPHiPrimitive"), ("getattr(hijax, 'HiPrim', None)", "HiPrim")],
)
def test_jaxs_base_is_named_as_it_is_written(base: str, name: str) -> None:
    Path("one.py").write_text(f"from jax.experimental import hijax\nclass Op({base}): pass\n", encoding="utf-8")
    assert listed("one.py")[0]["bases"] == [{"name": name, "path": None, "line": None}]
    assert "    no rules\n" in run("classes", "one.py").stdout


@pytest.mark.parametrize(
    ("body", "style"),
    [
        ("def vjp_bwd(self, res, g): raise NotImplementedError", "stub"),
        ("def vjp_bwd(self, res, g): return {'x': g}", "returns a dict"),
        ("if FLAG:\n        def vjp_bwd(self, r, g): return [g]\n    else:\n        vjp_bwd = f()", "unclear"),
    ],
)
def test_styles(body: str, style: str) -> None:
    source = f"from jax.experimental.hijax import HiPrim\nclass Op(HiPrim):\n    {body}\n"
    Path("one.py").write_text(source, encoding="utf-8")
    assert listed("one.py")[0]["bwd_style"] == style


def test_rules_that_are_assigned_from_outside_count() -> None:
    source = "from jax.experimental.hijax import HiPrim\nclass Op(HiPrim): pass\nOp.vjp_bwd = make()\n"
    Path("one.py").write_text(source, encoding="utf-8")
    (op,) = listed("one.py")
    assert (op["rules"], op["bwd_style"]) == ({"vjp_bwd": {"class": "Op", "path": "one.py", "line": 3}}, "unclear")


def test_files_that_fail_make_the_exit_status_2_and_the_others_are_listed() -> None:
    Path("broken.py").write_text("hijax = (\n", encoding="utf-8")
    result = run("classes", ".", "missing.py")
    assert result.exit_code == 2
    assert "broken.py:" in result.stderr
    assert "missing.py: error [find]" in result.stderr
    assert result.stderr.endswith("3 primitive classes, 2 errors.\n")
    assert "Outer.Leaf" in result.stdout
    errors = json.loads(run("classes", "--format", "json", ".", "missing.py").stdout)["errors"]
    assert [(error["path"], error["stage"]) for error in errors] == [("broken.py", "parse"), ("missing.py", "find")]


def test_nothing_to_list() -> None:
    Path("only").mkdir()
    write_tree(Path("only"), {"a.py": "x = 1\n"})
    result = run("classes", "only", "--root", "only")
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "Scanned 1 file, 0 mention hijax, 0 primitive classes.\n"


def test_output_and_exclude() -> None:
    result = run("classes", "--format", "json", "--output", "out.json", "--exclude", "pkg/ops.py")
    assert (result.exit_code, result.stdout) == (0, "")
    assert [found["name"] for found in json.loads(Path("out.json").read_text())["classes"]] == ["Base"]


@pytest.mark.parametrize("arguments", [["-"], ["-q", "-v"], ["--bwd", "accum"], ["--python", "nowhere"]])
def test_wrong_usage(arguments: list[str]) -> None:
    assert run("classes", *arguments).exit_code == 2


def test_an_installed_base_is_followed_and_not_listed(here: Path) -> None:
    lib = here / "env" / "lib" / "site"
    write_tree(lib, {"qlib/__init__.py": "from qlib.p import *\n", "qlib/p.py": TREE["pkg/base.py"]})
    write_tree(here / "app", {"op.py": "import qlib\nclass Op(qlib.Base):\n    def jvp(self, p, t): ...  # hijax\n"})
    python = here / "python"
    python.write_text(f"#!/bin/sh\necho {lib}\n", encoding="utf-8")
    python.chmod(0o755)
    assert listed("app", "--root", "app")[0]["verdict"] == "unknown"
    (op,) = listed("app", "--root", "app", "--python", str(python))
    assert op["verdict"] == "primitive"
    assert [base["name"] for base in op["bases"]] == ["Base", "HiPrim"]
    assert op["rules"]["vjp_bwd"]["path"] == "env/lib/site/qlib/p.py"


def test_source_cannot_paint_the_terminal() -> None:
    Path("one.py").write_text(
        "import lib\nclass Op(lib.f('\x1b[31m')):\n    def vjp_bwd(self): ...\n", encoding="utf-8"
    )
    assert "\x1b" not in run("classes", "one.py").stdout
    assert "\x1b[1mone.py:2:1:\x1b[0m \x1b[33munknown\x1b[0m" in run("classes", "one.py", "--color", "always").stdout
