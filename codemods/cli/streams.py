"""Standard streams as bytes: a diff holds what the files hold, whatever the terminal's encoding."""

from __future__ import annotations

import os
import sys
from typing import TextIO

import click


def is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def read_stdin() -> bytes:
    """All of standard input. Raises ``click.ClickException`` if it is closed."""
    try:
        return sys.stdin.buffer.read()
    except (AttributeError, OSError) as error:
        raise click.ClickException(f"standard input cannot be read: {error}") from None


def write_stdout(data: bytes) -> None:
    """Write the bytes as they are; for a terminal, UTF-8 is turned into its encoding."""
    if sys.stdout is None:
        return
    encoding = (sys.stdout.encoding or "utf-8").lower().replace("_", "-")
    if is_terminal(sys.stdout) and encoding not in ("utf-8", "utf8"):
        data = data.decode("utf-8", "replace").encode(encoding, "backslashreplace")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # The reader has seen enough (`diff | head`), which is no failure. Python flushes again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_stderr(text: str) -> None:
    """Write a text; what the stream's encoding lacks is escaped."""
    if sys.stderr is None or not text:
        return
    encoding = sys.stderr.encoding or "utf-8"
    sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stderr.flush()
