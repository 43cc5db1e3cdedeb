"""A pullback next to auxiliary values, and one that is taken by its index."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Indexed(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * jnp.sin(y)

    def vjp_fwd(self, nzs_in, x, y):
        return x * jnp.sin(y), (x, y)

    def vjp_bwd(self, res, g):
        return jax.vjp(self.expand, *res)[1](g)


class WithAux(Indexed):
    def vjp_bwd(self, res, g):
        _, pull, _ = jax.vjp(lambda x, y: (self.expand(x, y), "aux"), *res, has_aux=True)
        return pull(g)


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    return [(kind(jax.typeof(x), jax.typeof(y)), (x, y)) for kind in (Indexed, WithAux)]
