"""A `jvp` rule that maps over zeros without `is_leaf`, which does nothing."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim, instantiate_zeros


class Op(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * jnp.sin(y)

    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, jax.tree.map(instantiate_zeros, tangents)
        return self(x, y), jnp.sin(y) * dx + x * jnp.cos(y) * dy


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    return [(Op(jax.typeof(x), jax.typeof(y)), (x, y))]
