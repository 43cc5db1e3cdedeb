"""A `jvp` rule of one input and no reverse rule."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Op(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x):
        return jnp.sin(x)

    def jvp(self, primals, tangents):
        (x,), (dx,) = primals, tangents
        return self(x), jnp.cos(x) * dx


def exercises():
    x = jnp.array([0.5, 1.5, -2.0])
    return [(Op(jax.typeof(x)), (x,))]
