"""An integer input with `None` for its cotangent."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Op(HiPrim):
    """Select an entry and scale it."""

    def __init__(self, x, n):
        self.in_avals = x, n
        self.out_aval = jax.typeof(jnp.zeros((), x.dtype))
        self.params = {}
        super().__init__()

    def expand(self, x, n):
        return 3.0 * jnp.take(x, n)

    def vjp_fwd(self, nzs_in, x, n):
        return self(x, n), (x, n)

    def vjp_bwd(self, res, g):
        x, n = res
        return jnp.zeros_like(x).at[n].set(3.0 * g), None


def exercises():
    x, n = jnp.array([0.5, 1.5, -2.0]), jnp.array(1)
    return [(Op(jax.typeof(x), jax.typeof(n)), (x, n))]
