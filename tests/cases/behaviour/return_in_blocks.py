"""Returns in `with`, `for`, `while` and `match`."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Op(HiPrim):
    def __init__(self, x, y, *, how):
        self.in_avals = x, y
        self.out_aval = x
        self.params = {"how": how}
        super().__init__()

    def expand(self, x, y):
        return x * jnp.sin(y)

    def vjp_fwd(self, nzs_in, x, y):
        return x * jnp.sin(y), (x, y)

    def vjp_bwd(self, res, g):
        x, y = res
        if self.how == "with":
            with jax.named_scope("with"):
                return g * jnp.sin(y), g * x * jnp.cos(y)
        if self.how == "for":
            for slope in [jnp.sin(y)]:
                return g * slope, g * x * jnp.cos(y)
            else:
                return None, None
        while self.how == "while":
            return g * jnp.sin(y), g * x * jnp.cos(y)
        match self.how:
            case "match":
                return g * jnp.sin(y), g * x * jnp.cos(y)
            case other:
                raise ValueError(other)


def exercises():
    x, y = jnp.array([0.5, 1.5, -2.0]), jnp.array([1.0, -0.5, 0.25])
    return [
        (Op(jax.typeof(x), jax.typeof(y), how=how), (x, y)) for how in ("with", "for", "while", "match")
    ]
