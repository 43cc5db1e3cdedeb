"""Options of the command line, and wrong usage."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import LINE, put, run
from tests.samples import BROKEN, LEGACY, MANUAL, UNRELATED


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["diff", "--select", "vjp-bwd-retvl"], "there is no rule `vjp-bwd-retvl`; did you mean `vjp-bwd-retval`?"),
        (["diff", "--ignore", "HJX101,HJX999"], "there is no rule `HJX999`"),
        (["diff", "--ignore", "HJX999"], "HJX102 vjp-bwd-accum"),
        (["diff", "--select", "HJX101", "--ignore", "vjp-bwd-retval"], "leave no rule to run"),
        (["rules", "nothing"], "there is no rule `nothing`"),
        (["diff", "--bwd", "both"], "'both' is not one of 'retval', 'accum'"),
        (["diff", "--jax", "0.12"], "--jax: '0.12' is not a version specifier"),
        (["diff", "--format", "yaml"], "'yaml' is not one of 'text', 'json'"),
        (["diff", "--config", "missing.toml"], "missing.toml: cannot be read"),
        (["diff", "--config", "x.toml", "--isolated"], "exclude one another"),
        (["diff", "-q", "-v"], "exclude one another"),
        (["diff", "-", "a.py"], "cannot stand beside other paths"),
        (["diff", "--stdin-filename", "a.py"], "--stdin-filename needs `-`"),
        (["diff", "--show-files", "-"], "--show-files needs files or folders"),
        (["diff", "--show-files", "--format", "json"], "no other format than text"),
        (["diff", "--exclude", "!"], "exclude: malformed pattern"),
        (["check", "--exit-code"], "No such option"),
        (["nothing"], "No such command 'nothing'"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str) -> None:
    put(a=LEGACY)
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
    assert result.stdout == ""


def test_an_unknown_key_is_wrong_usage_with_file_and_key() -> None:
    Path("pyproject.toml").write_text("[tool.hijax-codemods]\nbdw = 'accum'\n")
    result = run("diff")
    assert result.exit_code == 2
    assert "pyproject.toml: [tool.hijax-codemods] has the unknown key `bdw`; did you mean `bwd`?" in result.stderr
    assert run("diff", "--isolated").exit_code == 0


def test_rules_are_selected_by_name_or_code_in_lists_and_repeatedly() -> None:
    put(a=LEGACY)
    for arguments in (
        ["--select", "hjx101"],
        ["--select", "HJX103,vjp-bwd-retval"],
        ["--select", "HJX103", "--select", "VJP-BWD-RETVAL"],
        ["--ignore", "HJX103,HJX104"],
    ):
        assert run("diff", "--exit-code", *arguments).exit_code == 1, arguments
    for arguments in (["--select", "HJX103"], ["--ignore", "HJX101,HJX102"]):
        assert run("diff", *arguments).stdout == "", arguments
    settings = json.loads(run("check", "--format", "json", "--select", "hjx101").stdout)["settings"]
    assert settings["select"] == ["vjp-bwd-retval"]


def test_the_style_comes_from_the_option_or_the_file() -> None:
    put(a=LEGACY)
    assert ".accum(" in run("diff", "--bwd", "accum").stdout
    Path("pyproject.toml").write_text("[tool.hijax-codemods]\nbwd = 'accum'\n")
    assert ".accum(" in run("diff").stdout
    assert ".accum(" not in run("diff", "--bwd", "retval").stdout


def test_show_files() -> None:
    put(b=LEGACY, a=UNRELATED)
    Path("new\nline.py").write_bytes(UNRELATED)
    result = run("diff", "--show-files", "--exclude", "b.py")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "a.py\nnew\\nline.py\n", "")
    result = run("apply", "--show-files", "b.py", "missing.py")
    assert (result.exit_code, result.stdout) == (2, "b.py\n")
    assert "missing.py: error [find]" in result.stderr
    assert Path("b.py").read_bytes() == LEGACY


def test_quiet_leaves_the_result_errors_and_items() -> None:
    put(a=LEGACY, b=MANUAL, c=BROKEN)
    result = run("diff", "-q")
    assert result.stdout == run("diff").stdout
    assert [line.partition(":")[0] for line in result.stderr.splitlines() if line[0] != " "] == ["c.py", "b.py"]
    assert [line.partition(":")[0] for line in run("check", "-q").stdout.splitlines()] == ["b.py"]


def test_verbose_reports_unused_suppressions_and_counts() -> None:
    put(a=LEGACY, b=b"import hijax\nx = 1  # hijax-codemods: ignore\n")
    result = run("diff", "-v")
    assert "b.py:2:8: note: this suppresses nothing: # hijax-codemods: ignore\n" in result.stderr
    assert f"{LINE} 1 change, 0 manual items\n" in result.stderr
    assert "suppresses nothing" not in run("diff").stderr
    assert "1 change, 0 manual items" in run("diff", "--statistics").stderr


def test_debug_says_what_was_configured() -> None:
    Path("pyproject.toml").write_text("[tool.hijax-codemods]\nbwd = 'accum'\n")
    result = run("diff", "--debug")
    assert "debug: configuration file: pyproject.toml\n" in result.stderr
    assert "BwdStyle.ACCUM" in result.stderr
