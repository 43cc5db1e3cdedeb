"""Every value that crosses a stage of the pipeline: plain, frozen, picklable.

No syntax trees, open files, locks or exceptions live in here, so that any stage can run in another process.
Lines are 1-based, columns are 1-based and count Unicode code points.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class BwdStyle(Enum):
    """How a value-returning ``vjp_bwd`` is migrated (``--bwd``)."""

    RETVAL = "retval"
    ACCUM = "accum"


class Safety(Enum):
    """Whether a change certainly keeps gradients, comments and evaluation order."""

    SAFE = "safe"
    UNSAFE = "unsafe"


class FileStatus(Enum):
    """What a run means for one file."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    FAILED = "failed"


class Stage(Enum):
    """Where a file failed."""

    FIND = "find"
    READ = "read"
    DECODE = "decode"
    PARSE = "parse"
    REWRITE = "rewrite"
    CHECK = "check"
    WRITE = "write"


@dataclass(frozen=True)
class Settings:
    """The options of one run, after the command line and ``[tool.hijax-codemods]`` were merged.

    ``jax`` is a PEP 440 specifier, or empty for the newest release known. ``select`` and ``ignore`` hold rule names
    or codes; an empty ``select`` stands for every rule that is on by default. ``exclude`` holds gitignore-style
    patterns relative to the folder ``exclude_root``, empty for the working directory. ``root`` is the project's root,
    empty for the one found; ``python`` an interpreter whose installed packages may hold bases;
    ``jobs`` the number of processes, 0 for as many as there are cores if there is enough work.
    """

    bwd: BwdStyle = BwdStyle.RETVAL
    jax: str = ""
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    unsafe: bool = False
    exclude: tuple[str, ...] = ()
    exclude_root: str = ""
    force_exclude: bool = False
    root: str = ""
    python: str = ""
    jobs: int = 0


@dataclass(frozen=True)
class SourceFile:
    """The bytes of one file and the path that reports show for it."""

    path: str
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class RuleMeta:
    """What the tool says of a rule; ``summary`` and ``explanation`` come from the rule's module docstring."""

    code: str
    name: str
    safety: Safety = Safety.SAFE
    rewrites: bool = True
    default: bool = True
    bwd: BwdStyle | None = None


@dataclass(frozen=True)
class Change:
    """One edit, made by one rule at one place of the original file."""

    rule: str
    code: str
    symbol: str
    line: int
    column: int
    end_line: int
    safety: Safety
    message: str


@dataclass(frozen=True)
class ManualItem:
    """Something that a person must do; the file is left as it was at that place."""

    rule: str
    code: str
    symbol: str
    line: int
    column: int
    reason: str
    message: str
    help: str


@dataclass(frozen=True)
class FileError:
    """Why a file could not be read, parsed, rewritten or written."""

    stage: Stage
    message: str
    help: str = ""
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True)
class UnusedSuppression:
    """A suppression comment that suppressed nothing (shown with ``-v``)."""

    line: int
    column: int
    text: str


@dataclass(frozen=True)
class FileResult:
    """All that the run found out about one file. ``before`` and ``after`` are equal unless ``status`` is CHANGED."""

    path: str
    status: FileStatus
    changes: tuple[Change, ...] = ()
    manual: tuple[ManualItem, ...] = ()
    error: FileError | None = None
    before: bytes = field(default=b"", repr=False)
    after: bytes = field(default=b"", repr=False)
    encoding: str = "utf-8"
    parsed: bool = False
    classes: int = 0
    unused_suppressions: tuple[UnusedSuppression, ...] = ()


@dataclass(frozen=True)
class RunReport:
    """Everything that is shown or written after a run. ``files`` holds only files with something to say, by path.

    ``empty_folders`` are folders that were named and hold no Python file.
    """

    settings: Settings
    files: tuple[FileResult, ...]
    files_seen: int
    files_parsed: int
    files_mentioning: int
    classes: int
    seconds: float
    empty_folders: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[FileResult, ...]:
        return tuple(f for f in self.files if f.status is FileStatus.CHANGED)

    @property
    def changes(self) -> int:
        return sum(len(f.changes) for f in self.files)

    @property
    def manual(self) -> int:
        return sum(len(f.manual) for f in self.files)

    @property
    def errors(self) -> int:
        return sum(f.error is not None for f in self.files)


@dataclass(frozen=True)
class ClassPlace:
    """A class by its qualified name, and where it stands; ``path`` and ``line`` are None for jax's own base class."""

    name: str
    path: str | None = None
    line: int | None = None


@dataclass(frozen=True)
class FoundClass:
    """What ``hijax-codemods classes`` says of one class.

    Attributes:
      is_primitive: False if it cannot be told whether it is one.
      bases: the classes between it and jax's base class, in method resolution order, jax's last. Of a class that may
        be a primitive: those that may be, too.
      rules: each rule method that it has, and the class and line that it comes from; in the order of ``RULE_NAMES``.
      bwd_style: what its ``vjp_bwd`` is, by its body; None if it has none.
      unknown_bases: its own and inherited bases that could not be found.
    """

    path: str
    line: int
    column: int
    name: str
    is_primitive: bool
    bases: tuple[ClassPlace, ...]
    rules: tuple[tuple[str, ClassPlace], ...]
    bwd_style: str | None
    unknown_bases: tuple[str, ...]


@dataclass(frozen=True)
class ClassReport:
    """The classes of a run, by path and line; ``run`` says what was looked at, and which files failed."""

    run: RunReport
    classes: tuple[FoundClass, ...]

    @property
    def primitives(self) -> tuple[FoundClass, ...]:
        return tuple(c for c in self.classes if c.is_primitive)

    @property
    def unknown(self) -> tuple[FoundClass, ...]:
        return tuple(c for c in self.classes if not c.is_primitive)


@dataclass(frozen=True)
class Example:
    """One documented and tested input of a rule. ``after`` is None where the rule must leave it alone."""

    title: str
    before: str
    after: str | None


@dataclass(frozen=True)
class RuleDoc:
    """What ``hijax-codemods rules`` and docs/rules/ show of one rule."""

    meta: RuleMeta
    summary: str
    explanation: str
    examples: tuple[Example, ...]
