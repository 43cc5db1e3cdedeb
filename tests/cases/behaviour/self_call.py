"""Another method and a function call the rule for its value."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Op(HiPrim):
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
        x, y = res
        return g * jnp.sin(y), g * x * jnp.cos(y)

    def sensitivity(self, x, y):
        """The gradient for a cotangent of ones."""
        x_ct, y_ct = self.vjp_bwd((x, y), jnp.ones_like(x))
        return x_ct + y_ct


class Sensitivity(HiPrim):
    """What `Op.sensitivity` computes."""

    def __init__(self, op):
        self.in_avals = op.in_avals
        self.out_aval = op.out_aval
        self.params = {"op": op}
        super().__init__()

    def expand(self, x, y):
        return self.op.sensitivity(x, y)

    def vjp_fwd(self, nzs_in, x, y):
        return self.op.sensitivity(x, y), (x, y)

    def vjp_bwd_retval(self, res, g):
        value = self.op.sensitivity(*res)
        return g * value, g * value


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    op = Op(jax.typeof(x), jax.typeof(y))
    return [(op, (x, y)), (Sensitivity(op), (x, y))]
