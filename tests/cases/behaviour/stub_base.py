"""A base whose rule only raises, and two primitives below it."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Unary(HiPrim):
    """What the two share."""

    def __init__(self, x):
        self.in_avals = (x,)
        self.out_aval = x
        self.params = {}
        super().__init__()

    def vjp_bwd(self, res, g):
        """One cotangent."""
        raise NotImplementedError


class Sine(Unary):
    def expand(self, x):
        return jnp.sin(x)

    def vjp_fwd(self, nzs_in, x):
        return jnp.sin(x), x

    def vjp_bwd(self, res, g):
        return (g * jnp.cos(res),)


class Exp(Unary):
    def expand(self, x):
        return jnp.exp(x)

    def vjp_fwd(self, nzs_in, x):
        out = jnp.exp(x)
        return out, out

    def vjp_bwd(self, res, g):
        return [g * res]


def exercises():
    x = jnp.array([0.5, 1.5, -2.0])
    return [(Sine(jax.typeof(x)), (x,)), (Exp(jax.typeof(x)), (x,))]
