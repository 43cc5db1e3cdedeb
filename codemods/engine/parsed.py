"""A file once it is read: bytes to a scanned module, or why that cannot be."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field

import libcst as cst

from codemods.engine.paths import module_path
from codemods.engine.source import Decoded, decode
from codemods.engine.splice import LineMap
from codemods.project.scan import ScannedModule, scan
from codemods.types import FileError, SourceFile, Stage


@dataclass(frozen=True)
class Parsed:
    """A source file with its text, its scanned module, and the map from LibCST's lines to its own."""

    source: SourceFile
    decoded: Decoded
    scanned: ScannedModule = field(repr=False)
    lines: LineMap = field(repr=False)

    @property
    def path(self) -> str:
        return self.scanned.path

    @property
    def text(self) -> str:
        return self.decoded.text


def parse_source(source: SourceFile) -> Parsed | FileError:
    """Decode, parse and scan. Bad input is a value; a bug of ours is one too, and costs this file only."""
    decoded = decode(source.data)
    if isinstance(decoded, FileError):
        return decoded
    return parse_text(source, decoded, decoded.text)


def parse_text(source: SourceFile, decoded: Decoded, text: str) -> Parsed | FileError:
    """The same for a text that the file may have instead of its own."""
    try:
        module = cst.parse_module(text)
        scanned = scan(module, module_path(source.path), text)
        return Parsed(source, Decoded(text, decoded.encoding, decoded.has_bom), scanned, LineMap(text, module.code))
    except cst.ParserSyntaxError as problem:
        return _syntax_error(problem, text)
    except RecursionError:
        return too_deep()
    except Exception as problem:
        # LibCST refuses some valid code with errors of other kinds, such as `return(a if b else c)`.
        reason = str(problem).strip().partition("\n")[0] or type(problem).__name__
        help_text = "put a space between the keyword and the parenthesis, then run again"
        return FileError(Stage.PARSE, f"LibCST cannot parse this: {reason}", help_text)


def too_deep() -> FileError:
    """The source goes beyond Python's recursion limit."""
    return FileError(Stage.REWRITE, "the source is nested too deeply", "split the longest expression or elif chain")


def compiles(text: str) -> bool:
    """Whether the Python that runs this can compile a module; it may be older than the code."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes and the like are not ours to report
            compile(text, "<module>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _syntax_error(problem: cst.ParserSyntaxError, text: str) -> FileError:
    # The message carries the position; the exception's own line is sometimes one off.
    message = problem.message.strip()
    found = re.search(r"error at (\d+):(\d+): (.*)", message, re.DOTALL)
    line, column = (int(found[1]), int(found[2])) if found else (max(problem.raw_line, 1), 1)
    if column == 0:  # just behind the line break
        line, column = line - 1, 1
    reason = found[3] if found else message
    if not compiles(text):
        return FileError(Stage.PARSE, f"syntax error: {reason}", "fix it, then run again", line, column)
    return FileError(
        Stage.PARSE,
        f"LibCST cannot parse this, although Python can: {reason}",
        "write this line in another way, then run again",
        line,
        column,
    )
