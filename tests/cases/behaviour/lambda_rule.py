"""A lambda as the rule."""

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
        return jnp.tanh(x)

    def vjp_fwd(self, nzs_in, x):
        out = jnp.tanh(x)
        return out, out

    vjp_bwd = lambda self, res, g: (g * (1 - res**2),)


def exercises():
    x = jnp.array([0.5, 1.5, -2.0])
    return [(Op(jax.typeof(x)), (x,))]
