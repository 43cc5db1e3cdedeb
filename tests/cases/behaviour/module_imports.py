"""`jax.experimental.hijax` through modules and aliases, inside a function and a class."""

import jax
import jax.experimental.hijax
import jax.numpy as np
from jax.experimental import hijax as hjx


class Namespace:
    class Op(hjx.HiPrim):
        def __init__(self, *avals):
            self.in_avals = avals
            self.out_aval = avals[0]
            self.params = {}
            super().__init__()

        def expand(self, x, y):
            return x * np.sin(y)

        def vjp_fwd(self, nzs_in, x, y):
            return x * np.sin(y), (x, y)

        def vjp_bwd(self, res, g):
            x, y = res
            return g * np.sin(y), g * x * np.cos(y)


def make():
    from jax.experimental.hijax import HiPrim as Base

    class Op(Base):
        def __init__(self, *avals):
            self.in_avals = avals
            self.out_aval = avals[0]
            self.params = {}
            super().__init__()

        def expand(self, x, y):
            return x * np.sin(y)

        def vjp_fwd(self, nzs_in, x, y):
            return x * np.sin(y), (x, y)

        def vjp_bwd(self, res, g):
            x, y = res
            return [g * np.sin(y), g * x * np.cos(y)]

    return Op


class Op(jax.experimental.hijax.HiPrim):
    def __init__(self, *avals):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * np.sin(y)

    def vjp_fwd(self, nzs_in, x, y):
        return x * np.sin(y), (x, y)

    def vjp_bwd(self, res, g):
        x, y = res
        return None, g * x * np.cos(y)


def exercises():
    x, y = np.array([0.5, 1.5, -2.0]), np.array([1.0, -0.5, 0.25])
    return [(kind(jax.typeof(x), jax.typeof(y)), (x, y)) for kind in (Namespace.Op, make(), Op)]
