"""Any number of inputs, a list, and accumulators under a name of their own."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Sum(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, *xs):
        return sum(jnp.sin(x) for x in xs)

    def vjp_fwd(self, nzs_in, *xs):
        return self.expand(*xs), xs

    def vjp_bwd(self, xs, g, *accums):
        return [g * jnp.cos(x) for x in xs]


def exercises():
    x, y, z = jnp.array([0.5, 1.5]), jnp.array([-1.0, 2.0]), jnp.array([0.1, 0.2])
    t = jax.typeof(x)
    return [(Sum(t), (x,)), (Sum(t, t), (x, y)), (Sum(t, t, t), (x, y, z))]
