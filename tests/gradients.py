"""Whether a migrated module has the gradients that the author of the original meant.

A *case* is the source of a module that defines ``exercises()``: a list of ``(primitive, args)``. What is right comes
from the original's own rules (``gradient_oracle``). What is checked is ``jax.vjp`` of the migrated primitive: of all
inputs, of each alone, under ``jit``, into refs and, where the primitive has a ``batch`` rule, under ``vmap`` on either
side. A case with a list ``EVENTS`` also shows in which order its code runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.hijax import HiPrim, Zero

from tests.gradient_oracle import Cotangents, expected, is_float

TRIALS = 3
RTOL = 4e-6
"""The rules are the same, but ``jit`` may fuse differently."""


def load_module(source: str, name: str) -> ModuleType:
    """Execute a case, or what became of it."""
    module = ModuleType(name)
    sys.modules[name] = module  # where dataclasses look
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)
    return module


def compare(before: ModuleType, after: ModuleType) -> None:
    """Check every exercise of ``after`` against the rules of ``before``.

    Raises:
      AssertionError: a gradient differs or cannot be taken; the message says of which primitive, how and where.
    """
    old, new = before.exercises(), after.exercises()
    assert old, f"{before.__name__} has no exercises"
    assert len(old) == len(new), "the modules have different exercises"
    for (oracle, args), (primitive, own_args) in zip(old, new, strict=True):
        points = [_Point(oracle, primitive, _perturbed(args, trial), own_args, trial) for trial in range(TRIALS)]
        for point in points:
            _compare_at(point, _Events(before, after))
        if type(primitive).batch is not HiPrim.batch:
            _compare_batched(points)


def works(module: ModuleType) -> bool:
    """Whether jax itself can take all gradients of a module, and they are what its rules say."""
    try:
        compare(module, module)
    except AssertionError:
        return False
    return True


@dataclass(frozen=True)
class _Events:
    """What the modules note down while they run, if they do."""

    before: ModuleType
    after: ModuleType

    def of(self, module: ModuleType) -> list[Any]:
        """Take out what was noted."""
        noted = getattr(module, "EVENTS", [])
        taken = list(noted)
        noted.clear()
        return taken


@dataclass(frozen=True)
class _Point:
    """Two primitives, the original and the migrated one, and where their gradients are compared.

    ``own_args`` are arguments of the migrated one: containers that a case defines are other classes there.
    """

    oracle: Any
    primitive: Any
    args: tuple[Any, ...]
    own_args: tuple[Any, ...]
    seed: int

    def __str__(self) -> str:
        return type(self.oracle).__qualname__

    @property
    def leaves(self) -> list[Any]:
        return jax.tree.leaves(self.args)

    @property
    def floating(self) -> list[int]:
        """The positions of the leaves that can be differentiated."""
        return [i for i, leaf in enumerate(self.leaves) if is_float(leaf)]

    def function(self, positions: Sequence[int]) -> Callable[..., Any]:
        """The migrated primitive as a function of some leaves of its inputs."""

        def call(*given: Any) -> Any:
            leaves = self.leaves
            for position, leaf in zip(positions, given, strict=True):
                leaves[position] = leaf
            return self.primitive(*jax.tree.unflatten(jax.tree.structure(self.own_args), leaves))

        return call

    def values(self, positions: Sequence[int]) -> list[Any]:
        return [self.leaves[position] for position in positions]

    def cotangent(self) -> Any:
        """A random cotangent of the output, zero where the output is an integer."""
        random = np.random.default_rng(100 + self.seed)

        def one(aval: Any) -> Any:
            if not jnp.issubdtype(aval.dtype, jnp.floating):
                return np.zeros(aval.shape, jax.dtypes.float0)
            return jnp.asarray(random.normal(size=aval.shape), aval.dtype)

        return jax.tree.map(one, self.oracle.out_aval)

    def expected(self) -> Cotangents:
        return expected(self.oracle, self.args, self.cotangent())


def _perturbed(args: Any, trial: int) -> tuple[Any, ...]:
    """The arguments of the case, or others near by that have the same signs."""
    random = np.random.default_rng(trial)

    def move(leaf: Any) -> Any:
        if not is_float(leaf):
            return leaf
        factor = 1 + 0.2 * random.uniform(-1, 1, size=np.shape(leaf)) * (trial > 0)
        return jnp.asarray(leaf * factor, jnp.result_type(leaf))

    return tuple(jax.tree.map(move, args))


def _compare_at(point: _Point, events: _Events) -> None:
    events.of(events.before)
    right = point.expected()
    noted = events.of(events.before)
    everything = point.floating
    once = point.seed == 0  # the expensive ways
    for context, positions, take in (
        ("grad of all inputs", everything, _vjp),
        *((f"grad of leaf {position} alone", [position], _vjp) for position in everything if len(everything) > 1),
        *((("grad of all inputs under jit", everything, _vjp_in_jit),) if once else ()),
        *((("grad of all inputs into refs", everything, _vjp_into_refs),) if once else ()),
    ):
        events.of(events.after)
        got = _run(point, context, lambda t=take, p=positions: t(point, p))  # type: ignore[misc]
        ran = events.of(events.after)
        _same(point, context, positions, right, got)
        assert ran == noted, f"{point}: {context}: runs {ran}, the original {noted}"


def _run(point: _Point, context: str, take: Callable[[], Cotangents]) -> Cotangents:
    try:
        return take()
    except Exception as problem:
        raise AssertionError(f"{point}: {context}: {type(problem).__name__}: {problem}") from problem


def _same(point: _Point, context: str, positions: Sequence[int], right: Cotangents, got: Cotangents) -> None:
    leaves = point.leaves
    for position, value in zip(positions, got, strict=True):
        want = np.zeros(np.shape(leaves[position])) if _is_zero(right[position]) else np.asarray(right[position])
        where = f"{point}: {context}: leaf {position} at trial {point.seed}"
        assert np.shape(value) == want.shape, f"{where}: shape {np.shape(value)}, should be {want.shape}"
        assert np.isfinite(want.astype(float)).all(), f"{where}: the original gives {want}"
        scale = float(np.max(np.abs(want), initial=1.0))
        is_same = np.allclose(np.asarray(value, float), np.asarray(want, float), rtol=RTOL, atol=RTOL * scale)
        assert is_same, f"{where}: {np.asarray(value)}, should be {want}"


def _is_zero(cotangent: Any) -> bool:
    return cotangent is None or isinstance(cotangent, Zero)


def _vjp(point: _Point, positions: Sequence[int]) -> Cotangents:
    _, pull = jax.vjp(point.function(positions), *point.values(positions))
    return list(pull(point.cotangent()))


def _vjp_in_jit(point: _Point, positions: Sequence[int]) -> Cotangents:
    def gradient(given: list[Any]) -> Any:
        return jax.vjp(point.function(positions), *given)[1](point.cotangent())

    return list(jax.jit(gradient)(point.values(positions)))


def _vjp_into_refs(point: _Point, positions: Sequence[int]) -> Cotangents:
    values = point.values(positions)
    pull: Any = jax.vjp(point.function(positions), *values)[1]
    refs = [jax.new_ref(jnp.zeros_like(value)) for value in values]
    pull.with_refs(*refs)(point.cotangent())
    return [ref[...] for ref in refs]


def _compare_batched(points: list[_Point]) -> None:
    first = points[0]
    positions = first.floating
    right = [point.expected() for point in points]
    stacked = [jnp.stack(leaf) for leaf in zip(*(point.values(positions) for point in points), strict=True)]
    cotangents = jax.tree.map(lambda *rows: np.stack(rows), *(point.cotangent() for point in points))
    function = first.function(positions)

    def grad_in_vmap() -> Cotangents:
        return list(jax.vmap(lambda given, ct: jax.vjp(function, *given)[1](ct))(stacked, cotangents))

    def vmap_in_grad() -> Cotangents:
        return list(jax.vjp(jax.vmap(function), *stacked)[1](cotangents))

    for context, take in (("vmap of grad", grad_in_vmap), ("grad of vmap", vmap_in_grad)):
        got = _run(first, context, take)
        for row, point in enumerate(points):
            _same(point, f"{context}, row {row}", positions, right[row], [value[row] for value in got])
