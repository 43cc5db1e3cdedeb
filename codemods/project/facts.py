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
    MADE = "made"
    """What a call of the symbol ``Ref.name`` gives: an instance, if that is a class."""
    SUPER = "super"
    """``super()`` inside class ``Ref.index``."""
    STARRED = "starred"
    """``Ref.name``, or what it is an attribute of, is bound by one of the module's star imports if at all."""
    FUNCTION = "function"
    """A function of this module; ``Ref.index`` is its number."""
    OTHER = "other"
    """Certainly no class of interest: a literal, a builtin."""
    UNBOUND = "unbound"
    """Nothing: the name is bound on some other path only."""
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


@dataclass(frozen=True, order=True)
class ClassKey:
    """A class of a project: the file that defines it and its number there. Never its name."""

    path: str
    index: int


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
    """What one module defines.

    Attributes:
      classes: its class statements in the order found.
      exports: what its module-level names may refer to in the end.
      star_imports: the modules that it imports ``*`` from, the last one first.
      public: the names in a literal ``__all__``, or None.
      receivers: what the receivers of ``….vjp_bwd`` may be.
    """

    classes: tuple[ClassFact, ...]
    exports: tuple[tuple[str, Refs], ...]
    star_imports: tuple[str, ...]
    public: tuple[str, ...] | None = None
    receivers: tuple[Refs, ...] = ()
