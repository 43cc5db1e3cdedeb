"""Small sources that the tests of the stages around the rules use."""

from __future__ import annotations

LEGACY = b"""\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def vjp_bwd(self, res, g):
        return (g * res,)
"""
"""One change: HJX101 at 5:5."""

MIGRATED = LEGACY.replace(b"vjp_bwd(", b"vjp_bwd_retval(")

MANUAL = b"""\
from jax.experimental.hijax import HiPrim


class Odd(HiPrim):
    def vjp_bwd(self, res, g):
        yield g
"""
"""One manual item."""

CURRENT = MIGRATED
"""Mentions hijax, nothing to do."""

UNRELATED = b"x = 1\n"

BROKEN = b"import hijax\ndef broken(:\n"
