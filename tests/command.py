"""Running the command line: in this process, or in one of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from codemods.cli import cli

ROOT = Path(__file__).parent.parent
LINE = "HJX101 [vjp-bwd-retval]"


def put(**files: bytes) -> None:
    for name, data in files.items():
        Path(f"{name}.py").write_bytes(data)


def run(*arguments: str, stdin: bytes = b"") -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin)


def process(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-B", str(ROOT / "cli.py"), *arguments]
    return subprocess.run(command, capture_output=True, check=False, **options)  # type: ignore[call-overload,no-any-return]
