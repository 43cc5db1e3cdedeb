"""`linearized` that takes any number of tangents."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Op(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * jnp.sin(y)

    def lin(self, nzs_in, x, y):
        return x * jnp.sin(y), (x, y)

    def linearized(self, res, *tangents):
        x, y = res
        return jnp.sin(y) * tangents[0] + x * jnp.cos(y) * tangents[1]


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    return [(Op(jax.typeof(x), jax.typeof(y)), (x, y))]
