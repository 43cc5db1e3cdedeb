"""A named tuple as an input, read by its attributes; no gradient for it as a whole."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Params(NamedTuple):
    w: jax.Array
    b: jax.Array


class Dense(HiPrim):
    """`x @ w + b` with the parameters in a named tuple."""

    def __init__(self, p, x):
        self.in_avals = p, x
        self.out_aval = jax.typeof(jnp.zeros(p.b.shape, x.dtype))
        self.params = {}
        super().__init__()

    def expand(self, p, x):
        return x @ p.w + p.b

    def vjp_fwd(self, nzs_in, p, x):
        return x @ p.w + p.b, (p, x)

    def vjp_bwd(self, res, g):
        p, x = res
        return None, p.w @ g


def exercises():
    p = Params(w=jnp.array([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]), b=jnp.array([0.1, -0.2]))
    x = jnp.array([0.5, 1.5, -2.0])
    return [(Dense(jax.tree.map(jax.typeof, p), jax.typeof(x)), (p, x))]
