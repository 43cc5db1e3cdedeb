"""Plain facts about one module: what its names may refer to and which classes it defines.

These are the values that a project-wide index is built from; they hold no syntax nodes and can be pickled.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class RefKind(Enum):
    """What a name or expression may refer to."""

    SYMBOL = "symbol"
    """An imported module or attribute; ``Ref.name`` is its dotted name (with leading dots when relative)."""
    CLASS = "class"
    """A class of this module; ``Ref.index`` is its number."""
    INSTANCE = "instance"
    """An instance of class ``Ref.index``."""
    SUPER = "super"
    """``super()`` inside class ``Ref.index``."""
    FUNCTION = "function"
    """A function of this module; ``Ref.index`` is its number."""
    OTHER = "other"
    """Certainly no class of interest: a literal, a builtin."""
    UNKNOWN = "unknown"
    """Cannot be told; ``Ref.name`` is the source text."""


@dataclass(frozen=True)
class Ref:
    """One thing that an expression may refer to. ``origin`` numbers the import statement that bound it."""

    kind: RefKind
    name: str = ""
    index: int = -1
    origin: int = -1


Refs = frozenset[Ref]
"""Alternatives: an expression refers to one of these, depending on the branch that ran."""


class Verdict(Enum):
    """Whether a class is a primitive class; ``UNKNOWN`` is an answer of its own, never "no"."""

    PRIMITIVE = "primitive"
    OTHER = "other"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class ClassFact:
    """A class statement. ``bases`` holds the alternatives of each positional base, ``base_texts`` their source."""

    index: int
    qualname: str
    bases: tuple[Refs, ...]
    base_texts: tuple[str, ...]
    members: tuple[str, ...]


@dataclass(frozen=True)
class ModuleFacts:
    """What one module defines: its classes in the order found, and what its module-level names are bound to."""

    classes: tuple[ClassFact, ...]
    exports: tuple[tuple[str, Refs], ...]
    star_imports: tuple[str, ...]
