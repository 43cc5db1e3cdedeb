"""Standard streams: input from stdin, bytes, terminals, closed pipes, and what the process exits with."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest

from codemods.cli import cli
from codemods.cli import main as run_and_exit
from tests.command import LINE, ROOT, process, put, run
from tests.samples import BROKEN, CURRENT, LEGACY, MANUAL, MIGRATED, UNRELATED


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("NO_COLOR", raising=False)
    return tmp_path


def test_standard_input() -> None:
    diffed = run("diff", "-", stdin=LEGACY)
    assert diffed.exit_code == 0
    assert diffed.stdout.startswith("--- a/<stdin>\n+++ b/<stdin>\n")
    checked = run("check", "-", "--stdin-filename", "pkg/ops.py", stdin=LEGACY)
    assert checked.exit_code == 1
    assert checked.stdout.startswith(f"pkg/ops.py:5:5: {LINE} ")
    applied = run("apply", "-", stdin=LEGACY)
    assert (applied.exit_code, applied.stdout_bytes) == (0, MIGRATED)
    assert applied.stderr.endswith("; 1 file changed (1 change).\n")


@pytest.mark.parametrize(
    ("source", "status"), [(CURRENT, 0), (UNRELATED, 0), (b"", 0), (MANUAL, 1), (BROKEN, 2), (b"# hijax\xff\r\n", 2)]
)
def test_standard_input_that_does_not_change_comes_out_as_it_was(source: bytes, status: int) -> None:
    result = run("apply", "-", stdin=source)
    assert (result.exit_code, result.stdout_bytes) == (status, source)


def test_standard_input_is_excluded_by_force_only() -> None:
    name = ["--stdin-filename", "gen/a.py", "--exclude", "gen/"]
    assert run("apply", "-", *name, stdin=LEGACY).stdout_bytes == MIGRATED
    assert run("apply", "-", *name, "--force-exclude", stdin=LEGACY).stdout_bytes == LEGACY


def test_the_diff_is_bytes_as_the_files_have_them() -> None:
    source = "# coding: latin-1\n# dérivée \x0c \x85\n".encode("latin-1") + LEGACY.replace(b"\n", b"\r\n").rstrip()
    put(a=source)
    done = process("diff")
    assert done.returncode == 0
    assert b"-    def vjp_bwd(self, res, g):\r\n+    def vjp_bwd_retval(self, res, g):\r\n" in done.stdout
    assert b"\n\\ No newline at end of file\n" in done.stdout
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "apply"], input=done.stdout, check=True)
    assert Path("a.py").read_bytes() == source.replace(b"vjp_bwd(", b"vjp_bwd_retval(")


def test_git_applies_the_diff_in_a_sub_folder_of_the_same_name(here: Path) -> None:
    subprocess.run(["git", "init", "-q"], check=True)
    Path("pkg/pkg").mkdir(parents=True)
    for name in ("pkg/x y.py", "pkg/pkg/x.py"):
        Path(name).write_bytes(LEGACY)
    done = process("diff", cwd=here / "pkg")
    subprocess.run(["git", "apply"], input=done.stdout, cwd=here / "pkg", check=True)
    assert Path("pkg/x y.py").read_bytes() == Path("pkg/pkg/x.py").read_bytes() == MIGRATED


def on_terminal(*arguments: str, **environment: str) -> bytes:
    """What the command writes to a terminal."""
    main, end = pty.openpty()
    command = [sys.executable, "-B", str(ROOT / "cli.py"), *arguments]
    variables = {**os.environ, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    with subprocess.Popen(command, stdout=end, stderr=subprocess.DEVNULL, env=variables):
        os.close(end)
        output = b""
        while True:
            try:
                data = os.read(main, 4096)
            except OSError:  # Linux: all ends of the terminal are closed
                break
            if not data:
                break
            output += data
    os.close(main)
    return output


def test_colours_and_escapes_on_a_terminal() -> None:
    put(a=b"# \x1b[2J\n" + LEGACY)
    assert b"\x1b" not in process("diff", "--color", "never").stdout.replace(b"\x1b[2J", b"")
    assert b"\x1b[32m+" in process("diff", "--color", "always").stdout
    colored = on_terminal("diff")
    assert b"\x1b[32m+" in colored
    assert b"\x1b[2J" not in colored
    for plain in (
        on_terminal("diff", NO_COLOR="1"),
        on_terminal("diff", TERM="dumb"),
        on_terminal("diff", "--color", "never"),
    ):
        assert b"\x1b" not in plain
        assert b"+    def vjp_bwd_retval" in plain
    assert b"\x1b[32m+" in on_terminal("diff", "--color", "always", NO_COLOR="1")


def test_a_closed_pipe_is_no_failure() -> None:
    put(a=LEGACY)
    command = f"'{sys.executable}' -B '{ROOT / 'cli.py'}' diff | true; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 0
    assert done.stderr.startswith(b"Scanned 1 file, ")


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (0, 0),
        (1, 1),
        (click.UsageError("no"), 2),
        (click.ClickException("no"), 2),
        (KeyboardInterrupt(), 130),
        (click.Abort(), 130),
        (ZeroDivisionError("oh"), 2),
    ],
)
def test_what_the_process_exits_with(
    outcome: int | BaseException, status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def main(**_: object) -> int:
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    monkeypatch.setattr(cli, "main", main)
    monkeypatch.setattr(sys, "argv", ["hijax-codemods"])
    with pytest.raises(SystemExit) as exit_info:
        run_and_exit()
    assert exit_info.value.code == status
    if isinstance(outcome, ZeroDivisionError):
        assert capsys.readouterr().err == "internal error: ZeroDivisionError: oh; run with --debug and report it\n"


def test_closed_standard_streams() -> None:
    put(a=LEGACY)
    command = f"'{sys.executable}' -B '{ROOT / 'cli.py'}' apply <&- >&- 2>&-"
    assert subprocess.run(["bash", "-c", command], check=False).returncode == 0
    assert Path("a.py").read_bytes() == MIGRATED
    command = f"'{sys.executable}' -B '{ROOT / 'cli.py'}' apply - <&-"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"standard input cannot be read" in done.stderr


@pytest.mark.parametrize(("arguments", "status"), [(["diff"], 2), (["diff", "--debug"], 1)])
def test_a_bug_is_told_in_one_line_unless_debugged(arguments: list[str], status: int) -> None:
    program = (
        "import codemods.cli, codemods.pipeline\n"
        "def fail(*_): raise ZeroDivisionError('oh')\n"
        "codemods.pipeline.run = fail\ncodemods.cli.main()"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-B", "-c", program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == status
    assert ("Traceback" in done.stderr) == ("--debug" in arguments)
    assert "ZeroDivisionError: oh" in done.stderr
