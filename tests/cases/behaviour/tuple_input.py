"""An input that is a tuple of arrays."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Combine(HiPrim):
    """`sum(xs) * s`"""

    def __init__(self, xs, s):
        self.in_avals = xs, s
        self.out_aval = xs[0]
        self.params = {}
        super().__init__()

    def expand(self, xs, s):
        a, b = xs
        return (a + b) * s

    def vjp_fwd(self, nzs_in, xs, s):
        return self(xs, s), (xs, s)

    def vjp_bwd(self, res, g):
        (a, b), s = res
        return (g * s, g * s), jnp.vdot(g, a + b)


def exercises():
    xs, s = (jnp.array([0.5, 1.5]), jnp.array([-1.0, 2.0])), jnp.array(0.75)
    return [(Combine(tuple(map(jax.typeof, xs)), jax.typeof(s)), (xs, s))]
