"""Two outputs, one of which may not be used."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim, instantiate_zeros


class SinCos(HiPrim):
    def __init__(self, x):
        self.in_avals = (x,)
        self.out_aval = x, x
        self.params = {}
        super().__init__()

    def expand(self, x):
        return jnp.sin(x), jnp.cos(x)

    def vjp_fwd(self, nzs_in, x):
        return (jnp.sin(x), jnp.cos(x)), x

    def vjp_bwd(self, res, g):
        sin_ct, cos_ct = map(instantiate_zeros, g)
        return (sin_ct * jnp.cos(res) - cos_ct * jnp.sin(res),)


def exercises():
    x = jnp.array([0.5, 1.5, -2.0])
    return [(SinCos(jax.typeof(x)), (x,))]
