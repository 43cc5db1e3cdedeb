"""The forms in which a module can get at a class of another one, or at jax's base class."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.class_graphs import Module, Node

HIJAX = "jax.experimental.hijax"
NAMES = ("HiPrim", "VJPHiPrimitive")


@dataclass(frozen=True)
class Way:
    """Lines that have to run first, and the expression that is the class then.

    ``binds``: the name under which the module has the class from then on, or ``*``. ``is_vague``: one of the
    alternatives is a module that does not exist, so that of a class which is no primitive nothing can be said.
    """

    lines: list[str]
    text: str
    binds: str = ""
    is_vague: bool = False
    leaves_module: bool = False


class Ways:
    """Chooses among the forms; every name that it makes up is new."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.count = 0
        self.shim = self._direct(in_function=False) if random.random() < 0.4 else None
        """How the project's own ``shim.py`` gets at jax's base class, if there is one."""

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def root(self, *, in_function: bool) -> Way:
        """A way to jax's base class, maybe by ``shim.py``."""
        if self.shim is None or self.random.random() < 0.3:
            return self._direct(in_function=in_function)
        name, alias = self.shim.text.partition(".")[0], self.fresh("Shim")
        text, rest = self.shim.text, self.shim.text.removeprefix(name)
        ways = [
            Way([f"from shim import {name}"], text),
            Way([f"from shim import {name} as {alias}"], f"{alias}{rest}"),
            Way(["import shim"], f"shim.{text}"),
            Way([f"import shim as {alias}"], f"{alias}.{text}"),
        ]
        if not in_function:
            ways.append(Way(["from shim import *"], text))
        return self.random.choice(ways)

    def _direct(self, *, in_function: bool) -> Way:
        alias = self.fresh("Root")
        probe = f"from {HIJAX.rpartition('.')[0]} import hijax as hj"
        ways = [
            Way([f"from {HIJAX} import HiPrim"], "HiPrim"),
            Way([f"from {HIJAX} import HiPrim as {alias}"], alias),
            Way(["from jax.experimental import hijax"], "hijax.HiPrim"),
            Way([f"import {HIJAX} as {alias}"], f"{alias}.HiPrim"),
            Way([f"import {HIJAX}"], f"{HIJAX}.HiPrim"),
            Way(["import jax", f"import {HIJAX} as {alias}"], f"{HIJAX}.HiPrim"),
            Way([probe, f"{alias} = getattr(hj, 'HiPrim', None) or hj.VJPHiPrimitive"], alias),
            Way([probe, f"{alias} = hj.HiPrim if hasattr(hj, 'HiPrim') else hj.VJPHiPrimitive"], alias),
            Way(tried(*(f"from {HIJAX} import {name} as {alias}" for name in NAMES)), alias),
            Way(
                [probe, "if hasattr(hj, 'HiPrim'):", f"    {alias} = hj.HiPrim", "else:", f"    {alias} = None"], alias
            ),
        ]
        if not in_function:
            ways.append(Way([f"from {HIJAX} import *"], "HiPrim"))
        return self.random.choice(ways)

    def reach(self, source: Module, name: str, node: Node, user: Module, *, in_function: bool) -> Way:
        """A way from ``user`` to a class that ``source`` binds to ``name`` (its outer class, if it has one)."""
        if source is user:
            return Way([], _inside(name, node))
        module = self._spelled(source.name, user)
        alias, inner = self.fresh("Alias"), _inside("{}", node)
        plain, renamed = f"from {module} import {name}", f"from {module} import {name} as {alias}"
        checking = ["from typing import TYPE_CHECKING", "if TYPE_CHECKING:", f"    from typing import Any as {alias}"]
        ways = [
            Way([plain], inner.format(name), name),
            Way([plain], inner.format(name), name),
            Way([renamed], inner.format(alias), alias),
            Way([f"import {source.name} as {alias}"], inner.format(f"{alias}.{name}")),
            Way(tried(renamed, f"{alias} = object"), inner.format(alias), alias, is_vague=bool(node.outer)),
            Way(tried(f"from no_such_module import {alias}", renamed), inner.format(alias), alias, is_vague=True),
            Way([*checking, "else:", f"    {renamed}"], inner.format(alias), alias),
            Way(
                [plain, f"{alias} = {name} if True else object"], inner.format(alias), alias, is_vague=bool(node.outer)
            ),
        ]
        if (
            source.name.partition(".")[0] != user.name.partition(".")[0]
        ):  # else a package may not have the attribute yet
            ways.append(Way([f"import {source.name}"], inner.format(f"{source.name}.{name}")))
        parent, _, leaf = source.name.rpartition(".")
        if parent:
            bare = f"from {self._spelled(parent, user)} import {leaf}"
            ways.append(Way([f"{bare} as {alias}"], inner.format(f"{alias}.{name}")))
            if not user.is_package:  # there, the name may be that of one of its own modules
                ways.append(Way([bare], inner.format(f"{leaf}.{name}"), leaves_module=True))
        if not in_function and self._may_star(source, name, user):
            ways += [Way([f"from {module} import *"], inner.format(name), "*")] * 3
        return self.random.choice(ways)

    def _may_star(self, source: Module, name: str, user: Module) -> bool:
        # A package that is still being imported has not bound all that it will bind.
        is_running = source.is_package and user.name.startswith(f"{source.name}.")
        return not is_running and name in source.starred() and (source.may_be_starred or source.public is not None)

    def _spelled(self, module: str, user: Module) -> str:
        """A module's absolute name, or its relative one where there is one."""
        here, there = user.package.split("."), module.split(".")
        if not user.package or here[0] != there[0] or self.random.random() < 0.4:
            return module
        common = 0
        while common < min(len(here), len(there)) and here[common] == there[common]:
            common += 1
        return "." * (len(here) - common + 1) + ".".join(there[common:])


def tried(first: str, second: str) -> list[str]:
    """The second where the first raises ImportError."""
    return ["try:", f"    {first}", "except ImportError:", f"    {second}"]


def _inside(name: str, node: Node) -> str:
    return f"{name}.{node.name}" if node.outer else name
