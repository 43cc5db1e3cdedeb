"""A function of the module as the `jvp` rule."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


def product_jvp(self, primals, tangents):
    x, y = primals
    dx, dy = tangents
    return self(x, y), jnp.sin(y) * dx + x * jnp.cos(y) * dy


class Op(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * jnp.sin(y)

    jvp = product_jvp


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    return [(Op(jax.typeof(x), jax.typeof(y)), (x, y))]
