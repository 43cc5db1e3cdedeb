"""A `jvp` rule of three inputs, one of them an integer, on one line."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Select(HiPrim):
    """Entry `n` of `x * y`."""

    def __init__(self, x, y, n):
        self.in_avals = x, y, n
        self.out_aval = jax.typeof(jnp.zeros((), x.dtype))
        self.params = {}
        super().__init__()

    def expand(self, x, y, n):
        return jnp.take(x * y, n)

    def jvp(self, ps, ts): return self(*ps), jnp.take(ps[0] * ts[1] + ps[1] * ts[0], ps[2])


def exercises():
    x, y, n = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25]), jnp.array(1)
    return [(Select(*map(jax.typeof, (x, y, n))), (x, y, n))]
