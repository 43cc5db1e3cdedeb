"""Rules that already treat symbolic zeros, in three ways."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim, Zero, instantiate_zeros


class Product(HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * jnp.sin(y)


class One(Product):
    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, map(instantiate_zeros, tangents)
        return self(x, y), jnp.sin(y) * dx + x * jnp.cos(y) * dy


class Two(Product):
    def jvp(self, primals, tangents):
        x, y = primals
        dx, dy = jax.tree.map(instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, Zero))
        return self(x, y), jnp.sin(y) * dx + x * jnp.cos(y) * dy


class Three(Product):
    def jvp(self, primals, tangents):
        x, y = primals
        dx, dy = tangents
        terms = []
        if not isinstance(dx, Zero):
            terms.append(jnp.sin(y) * dx)
        if not isinstance(dy, Zero):
            terms.append(x * jnp.cos(y) * dy)
        return self(x, y), sum(terms)


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    return [(kind(jax.typeof(x), jax.typeof(y)), (x, y)) for kind in (One, Two, Three)]
