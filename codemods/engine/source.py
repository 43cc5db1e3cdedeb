"""Bytes to text and back without losing one: byte order mark, encoding cookie, newlines."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from codemods.types import FileError, Stage

BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@dataclass(frozen=True)
class Decoded:
    """The text of a file and how to turn a changed text into bytes again."""

    text: str
    encoding: str
    has_bom: bool

    def encode(self, text: str) -> bytes:
        """Raises ``UnicodeEncodeError`` where the file's encoding cannot hold the text."""
        return (BOM if self.has_bom else b"") + text.encode(self.encoding)


def split_lines(text: str) -> list[str]:
    r"""Lines with their endings, split where Python splits source: ``\n``, ``\r\n`` and ``\r`` only."""
    return _LINE.findall(text)


def _encoding_of(data: bytes) -> str:
    # Fed line by line as Python sees lines: with only "\r" as newline, detect_encoding would look for a cookie in
    # the whole file.
    lines = io.BytesIO(data).getvalue().splitlines(keepends=True)[:2]
    return tokenize.detect_encoding(iter(lines).__next__)[0]


def decode(data: bytes) -> Decoded | FileError:
    """The text of ``data`` as Python would read it (PEP 263), or why it cannot be read without loss."""
    has_bom = data.startswith(BOM)
    try:
        encoding = _encoding_of(data)
    except SyntaxError as error:
        if not has_bom and "missing encoding" in str(error):
            encoding = "utf-8"  # no cookie and not UTF-8: decoding tells where
        else:
            return FileError(Stage.DECODE, str(error), "declare the encoding that the file really has", 1, 1)
    encoding = "utf-8" if encoding == "utf-8-sig" else encoding
    body = data[len(BOM) :] if has_bom else data
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        line = body.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{body[error.start]:02x} at offset {error.start} is not {encoding}"
        return FileError(Stage.DECODE, message, "save the file as UTF-8 or declare its encoding", line=line, column=1)
    except (LookupError, ValueError) as error:
        return FileError(Stage.DECODE, f"{encoding}: {error}", "use a text encoding that Python can read")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        return FileError(Stage.DECODE, "source contains a NUL character", "remove it", line=line, column=1)
    decoded = Decoded(text, encoding, has_bom)
    if decoded.encode(text) != data:
        return FileError(Stage.DECODE, f"{encoding} does not give the same bytes back", "save the file as UTF-8")
    return decoded
