"""The only module that writes: a whole file or nothing.

A new file is written beside the old one and takes its place in one step, so that a full disk, a signal or a crash
leaves the old bytes where they were.
"""

from __future__ import annotations

import contextlib
import os
import tempfile

from codemods.types import FileError, FileResult, Stage


def write_result(result: FileResult) -> FileError | None:
    """Put ``result.after`` in the place of ``result.before``; the error if that could not be done, in whole."""
    target = os.path.realpath(result.path)
    try:
        if not os.access(target, os.W_OK) and os.path.exists(target):
            return _error("is read-only", "make it writable, then run again")
        with open(target, "rb") as stream:
            if stream.read() != result.before:
                return _error("was changed by someone else since it was read", "run again")
        replace_file(target, result.after)
    except OSError as error:
        return _error(f"cannot be written: {error.strerror or error}", "the file is as it was; run again after that")
    return None


def write_output(path: str, data: bytes) -> None:
    """Write a report: a file as a whole, a pipe or device as it is. Raises ``OSError``."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as stream:
            stream.write(data)
    else:
        replace_file(os.path.realpath(path), data)


def replace_file(target: str, data: bytes) -> None:
    """Write ``data`` to ``target`` in one step; mode and owner of an existing file are kept. Raises ``OSError``."""
    folder = os.path.dirname(target) or os.curdir
    descriptor, temporary = tempfile.mkstemp(prefix=".hijax-codemods-", suffix=".tmp", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            _copy_attributes(target, temporary)
            os.fsync(stream.fileno())
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    _sync_folder(folder)


def _copy_attributes(target: str, temporary: str) -> None:
    try:
        old = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        return
    new = os.stat(temporary)
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):  # the mode still counts; only root gives files away
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, old.st_mode & 0o7777)  # after chown, which clears the set-id bits


def _sync_folder(folder: str) -> None:
    """Make the new name last too, where folders can be opened (not on Windows)."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _error(message: str, help_text: str) -> FileError:
    return FileError(Stage.WRITE, message, help_text)
