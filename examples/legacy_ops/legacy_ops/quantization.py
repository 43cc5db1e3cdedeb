"""Operations whose gradient is not that of their value, on purpose."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class StraightThrough(HiPrim):
    """The base of operations that round: the backward pass is up to each of them."""

    def __init__(self, *avals, **params):
        self.in_avals = avals
        self.out_aval = avals[0]
        self.params = params
        super().__init__()

    def vjp_bwd(self, res, g):
        """Return one cotangent an input."""
        raise NotImplementedError


class RoundThrough(StraightThrough):
    """Round; the gradient passes straight through."""

    def expand(self, x):
        return jnp.round(x)

    def vjp_fwd(self, nzs_in, x):
        return jnp.round(x), None

    def vjp_bwd(self, res, g): return (g,)


class FakeQuant(StraightThrough):
    """Round `x` to multiples of `step`, within `levels` of them on either side of zero.

    The gradient of `step` is that of learned step size quantization.
    """

    def expand(self, x, step):
        return jnp.clip(jnp.round(x / step), -self.levels, self.levels) * step

    def vjp_fwd(self, nzs_in, x, step):
        return self.expand(x, step), (x / step,)

    def vjp_bwd(self, res, g, x_acc, step_acc):
        (steps,) = res
        inside = jnp.abs(steps) <= self.levels
        error = jnp.where(inside, jnp.round(steps) - steps, self.levels * jnp.sign(steps))
        cotangents = (g * inside, jnp.sum(g * error))
        return cotangents


class ClipGradient(HiPrim):
    """The identity, whose cotangent is clipped to `limit`."""

    def __init__(self, x, *, limit):
        self.in_avals = (x,)
        self.out_aval = x
        self.params = {"limit": limit}
        super().__init__()

    def expand(self, x):
        return x

    def vjp_fwd(self, nzs_in, x):
        return x, ()

    def vjp_bwd(self, _, g, *arg_accums):
        if self.limit is None:
            clipped = [g]
        else:
            clipped = [jnp.clip(g, -self.limit, self.limit)]
        return clipped


def round_through(x):
    return RoundThrough(jax.typeof(x))(x)


def fake_quant(x, step, levels=2):
    return FakeQuant(jax.typeof(x), jax.typeof(step), levels=levels)(x, step)


def clip_gradient(x, limit=None):
    return ClipGradient(jax.typeof(x), limit=limit)(x)
