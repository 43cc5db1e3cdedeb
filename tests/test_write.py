"""Writing: a whole file or nothing, with the mode, through links, and never over bytes that were not seen."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codemods.engine.write import write_output, write_result
from codemods.types import FileResult, FileStatus, Stage


def changed(path: Path, before: bytes = b"old\n", after: bytes = b"new\n") -> FileResult:
    return FileResult(str(path), FileStatus.CHANGED, before=before, after=after)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "x.py"
    path.write_bytes(b"old\n")
    return path


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o664])
def test_bytes_are_replaced_and_the_mode_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert write_result(changed(file)) is None
    assert file.read_bytes() == b"new\n"
    assert file.stat().st_mode & 0o7777 == mode
    assert names(file.parent) == ["x.py"]


def test_a_link_is_followed_and_stays_a_link(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.py"
    link.symlink_to("x.py")
    assert write_result(changed(link)) is None
    assert link.is_symlink()
    assert file.read_bytes() == b"new\n"


def test_bytes_that_changed_meanwhile_are_not_written_over(file: Path) -> None:
    file.write_bytes(b"edited\n")
    error = write_result(changed(file))
    assert error is not None
    assert error.stage is Stage.WRITE
    assert "since it was read" in error.message
    assert file.read_bytes() == b"edited\n"


def test_a_file_that_is_gone_is_an_error(file: Path) -> None:
    file.unlink()
    error = write_result(changed(file))
    assert error is not None
    assert "No such file" in error.message
    assert names(file.parent) == []


def test_a_read_only_file_is_left_alone(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everything
    error = write_result(changed(file))
    assert error is not None
    assert "read-only" in error.message
    assert file.read_bytes() == b"old\n"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_on_the_way_leaves_the_old_file_and_no_other(
    file: Path, step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    error = write_result(changed(file))
    assert error is not None
    assert error.message == "cannot be written: No space left on device"
    assert file.read_bytes() == b"old\n"
    assert names(file.parent) == ["x.py"]


def test_an_interrupt_leaves_the_old_file_and_no_other(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_result(changed(file))
    assert file.read_bytes() == b"old\n"
    assert names(file.parent) == ["x.py"]


def test_a_disk_that_takes_no_byte_leaves_the_old_file(file: Path) -> None:
    # The child limits itself: a preexec_fn would fork this process, in which jax may run threads.
    program = (
        "import resource, signal, sys\nfrom codemods.engine.write import write_result\n"
        "from codemods.types import FileResult, FileStatus\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "result = FileResult(sys.argv[1], FileStatus.CHANGED, before=b'old\\n', after=b'new\\n')\n"
        "sys.exit(3 if write_result(result) else 0)"
    )
    command = [sys.executable, "-B", "-c", program, str(file)]
    root = Path(__file__).parent.parent
    assert subprocess.run(command, cwd=root, check=False).returncode == 3
    assert file.read_bytes() == b"old\n"
    assert names(file.parent) == ["x.py"]


def test_a_report_makes_a_new_file_with_the_usual_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    mask = os.umask(0o027)
    try:
        write_output(str(path), b"{}\n")
    finally:
        os.umask(mask)
    assert path.read_bytes() == b"{}\n"
    assert path.stat().st_mode & 0o7777 == 0o640


def test_a_report_may_go_to_a_device() -> None:
    write_output(os.devnull, b"{}\n")
    assert not os.path.isfile(os.devnull)
