"""JAX releases as rows: which public hijax name exists in which of them.

Source: the exports of ``jax.experimental.hijax`` in the released wheels. A name or release that is new is a new row.
"""

from __future__ import annotations

from dataclasses import dataclass

from packaging.specifiers import SpecifierSet
from packaging.version import Version

KNOWN = "0.8.1 0.8.2 0.8.3 0.9.0 0.9.0.1 0.9.1 0.9.2 0.10.0 0.10.1 0.10.2 0.11.0 0.11.1 0.11.2 0.12.0 0.12.0.1".split()
"""Every release with ``jax.experimental.hijax`` that the table covers, oldest first."""

NEWEST = KNOWN[-1]


@dataclass(frozen=True)
class Name:
    """A public name, exported from release ``since`` on, and no longer from ``until`` on."""

    name: str
    since: str
    until: str | None = None


NAMES = {
    row.name: row
    for row in (
        Name("VJPHiPrimitive", "0.8.1", "0.11.2"),
        Name("HiPrim", "0.11.2"),
        Name("Zero", "0.8.1"),
        Name("instantiate_zeros", "0.9.0"),
        Name("vjp_from_jvp", "0.11.1"),
        Name("vjp_from_lin", "0.11.1"),
        Name("vjp_fwd_from_jvp", "0.11.0", "0.11.1"),
        Name("transpose_jvp", "0.11.0", "0.11.1"),
        Name("vjp_fwd_from_lin", "0.11.0", "0.11.1"),
        Name("transpose_linearized", "0.11.0", "0.11.1"),
    )
}


@dataclass(frozen=True)
class Releases:
    """The releases that the code must run on, oldest first; never empty."""

    versions: tuple[str, ...]

    @classmethod
    def matching(cls, specifier: str) -> Releases:
        """The known releases in a PEP 440 specifier; the newest one for an empty or only newer specifier.

        Raises:
          packaging.specifiers.InvalidSpecifier: the text is not a PEP 440 specifier.
        """
        if not specifier.strip():
            return cls((NEWEST,))
        wanted = SpecifierSet(specifier)
        return cls(tuple(v for v in KNOWN if wanted.contains(v, prereleases=True)) or (NEWEST,))

    def all_have(self, name: str) -> bool:
        """Whether every release exports ``name``."""
        return all(_exports(version, name) for version in self.versions)

    def without(self, name: str) -> tuple[str, ...]:
        """The releases that do not export ``name``."""
        return tuple(version for version in self.versions if not _exports(version, name))


def _exports(version: str, name: str) -> bool:
    row = NAMES[name]
    at = Version(version)
    return Version(row.since) <= at and (row.until is None or at < Version(row.until))
