"""Random classes with valid orders of resolution, and the modules that they are put into."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

ROOT = -1
"""As a base: jax's base class."""


@dataclass(frozen=True)
class Node:
    """A class: its bases by number (``ROOT`` for jax's), where it stands, and what else is in its header."""

    number: int
    bases: tuple[int, ...]
    name: str
    outer: str = ""
    is_local: bool = False
    is_generic: bool = False
    has_metaclass: bool = False
    has_rule: bool = False

    @property
    def path(self) -> str:
        """Its name in its module, or in the function that makes it."""
        return f"{self.outer}.{self.name}" if self.outer else self.name

    @property
    def top(self) -> str:
        return self.outer or self.name


def random_graph(random: Random) -> list[Node]:
    """Classes whose bases come before them and have a method resolution order; some lead to jax's."""
    nodes: list[Node] = []
    generic = type("Generic", (), {})
    made: dict[int, type] = {ROOT: type("HiPrim", (), {})}
    for number in range(random.randint(1, 10)):
        usable = [ROOT, *(n.number for n in nodes if not n.is_local)]
        count = random.choice((0, 1, 1, 1, 2, 2, 3))
        bases = tuple(random.sample(usable, min(count, len(usable))))
        is_generic = random.random() < 0.2
        while True:
            try:
                made[number] = type("K", (*(made[b] for b in bases), *((generic,) if is_generic else ())), {})
                break
            except TypeError:  # no consistent order
                bases = bases[:-1]
        style = random.choice(("plain", "plain", "plain", "nested", "local"))
        nodes.append(
            Node(
                number,
                bases,
                f"{random.choice(('', '', '_'))}K{number}",
                f"Outer{number}" if style == "nested" else "",
                style == "local",
                is_generic,
                random.random() < 0.1,
                random.random() < 0.2,
            )
        )
    return nodes


@dataclass
class Module:
    """A file in the making. ``binds``: the classes by the name of what reaches them; ``public``: its ``__all__``."""

    name: str
    folder: str
    is_package: bool = False
    lines: list[str] = field(default_factory=list)
    binds: dict[str, int] = field(default_factory=dict)
    public: list[str] | None = None
    may_be_starred: bool = True

    @property
    def path(self) -> str:
        inner = self.name.replace(".", "/")
        return f"{self.folder}{inner}/__init__.py" if self.is_package else f"{self.folder}{inner}.py"

    @property
    def package(self) -> str:
        """What a single leading dot stands for."""
        return self.name if self.is_package else self.name.rpartition(".")[0]

    def starred(self) -> dict[str, int]:
        """What ``import *`` takes from it."""
        names = self.public if self.public is not None else [name for name in self.binds if name[0] != "_"]
        return {name: self.binds[name] for name in names}

    def source(self) -> str:
        return "\n".join([*self.lines, ""])
