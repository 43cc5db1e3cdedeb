"""The gradients that the author of an original meant, from its own rules: the oracle of the behaviour tests.

That is ``vjp_fwd`` and then the old ``vjp_bwd``, called directly, its returned value read as one cotangent an input.
Where there is only a forward rule, it is that rule, linear in its tangents, transposed.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.hijax import HiPrim, NullAccum, ValAccum, Zero, instantiate_zeros

Cotangents = Sequence[Any]
"""One entry a leaf of all inputs; None is zero."""


def is_float(leaf: Any) -> bool:
    """Whether a leaf can be differentiated."""
    return bool(jnp.issubdtype(jnp.result_type(leaf), jnp.floating))


def expected(primitive: Any, args: tuple[Any, ...], cotangent: Any) -> Cotangents:
    """The cotangents of all leaves of the inputs, by the rules of an original."""
    kind = type(primitive)
    if kind.vjp_bwd is not HiPrim.vjp_bwd or kind.vjp_bwd_retval is not HiPrim.vjp_bwd_retval:
        cotangents = _by_reverse_rule(primitive, args, cotangent)
        return _flat(primitive.in_avals, cotangents)
    return _by_forward_rule(primitive, args, cotangent)


def _by_reverse_rule(primitive: Any, args: tuple[Any, ...], cotangent: Any) -> tuple[Any, ...]:
    differentiated = jax.tree.map(is_float, args)
    _, residuals, *rest = primitive.vjp_fwd(differentiated, *args)
    lead = (residuals, rest[1]) if len(rest) > 1 else (residuals,)
    cotangent = jax.tree.map(lambda ct: Zero(jax.typeof(ct)) if ct.dtype == jax.dtypes.float0 else ct, cotangent)
    if type(primitive).vjp_bwd is HiPrim.vjp_bwd:
        return _per_input(primitive.vjp_bwd_retval(*lead, cotangent))
    make: dict[bool, Any] = {True: ValAccum, False: NullAccum}
    accumulators = jax.tree.map(lambda aval, d: make[d](aval.to_ct_aval()), primitive.in_avals, differentiated)
    try:
        inspect.signature(primitive.vjp_bwd).bind(*lead, cotangent, *accumulators)
    except TypeError:
        return _per_input(primitive.vjp_bwd(*lead, cotangent))
    returned = primitive.vjp_bwd(*lead, cotangent, *accumulators)
    if returned is None or isinstance(returned, dict):  # it accumulates (and logs)
        return tuple(jax.tree.map(_frozen, accumulators))
    return _per_input(returned)


def _frozen(accumulator: Any) -> Any:
    return accumulator.val if isinstance(accumulator, ValAccum) else None


def _per_input(returned: Any) -> tuple[Any, ...]:
    return tuple(returned) if isinstance(returned, list | tuple) else (returned,)


def _flat(avals: tuple[Any, ...], cotangents: tuple[Any, ...]) -> list[Any]:
    """One entry a leaf; None for a subtree stands for None at each of its leaves, as ``jax.custom_vjp`` has it."""
    assert len(cotangents) == len(avals), f"the original gives {len(cotangents)} cotangents for {len(avals)} inputs"

    def is_zero(node: Any) -> bool:
        return node is None or isinstance(node, Zero)

    full = jax.tree.broadcast(cotangents, avals, is_leaf=is_zero)
    return jax.tree.leaves(full, is_leaf=is_zero)


def _by_forward_rule(primitive: Any, args: tuple[Any, ...], cotangent: Any) -> Cotangents:
    """Transpose ``jvp``, or ``linearized`` where there is no ``jvp``, on dense tangents for all inputs."""
    leaves, structure = jax.tree.flatten(args)
    floating = [i for i, leaf in enumerate(leaves) if is_float(leaf)]

    def forward(*given: Any) -> Any:
        tangents = [np.zeros(np.shape(leaf), jax.dtypes.float0) for leaf in leaves]
        for position, tangent in zip(floating, given, strict=True):
            tangents[position] = tangent
        tree = jax.tree.unflatten(structure, tangents)
        if type(primitive).jvp is not HiPrim.jvp:
            _, out = primitive.jvp(args, tree)
        else:
            _, residuals, *_ = primitive.lin(jax.tree.map(is_float, args), *args)
            out = primitive.linearized(residuals, *tree)
        return jax.tree.map(instantiate_zeros, out, is_leaf=lambda t: isinstance(t, Zero))

    found = jax.linear_transpose(forward, *[jnp.zeros_like(leaves[i]) for i in floating])(cotangent)
    by_position = dict(zip(floating, found, strict=True))
    return [by_position.get(position) for position in range(len(leaves))]
