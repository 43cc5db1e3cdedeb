"""Number formats for `jax.custom_vjp`. Their `vjp_fwd` and `vjp_bwd` only look like those of a hijax primitive."""

import abc

import jax
import jax.numpy as jnp


class Numerics(abc.ABC):
    """How values are rounded to a format, and what the gradient of that is."""

    @abc.abstractmethod
    def fwd(self, x, key):
        """The rounded value; `key` is for formats that round at random."""

    @abc.abstractmethod
    def vjp_fwd(self, x, key):
        """The rounded value, and what `vjp_bwd` needs."""

    @abc.abstractmethod
    def vjp_bwd(self, res, g):
        """The cotangents of the value and of the key."""


class IntNumerics(Numerics):
    """Signed integers of some bits; the gradient passes where nothing was clipped."""

    def __init__(self, bits):
        self.bound = 2.0 ** (bits - 1) - 1

    def fwd(self, x, key):
        return jnp.clip(jnp.round(x), -self.bound, self.bound)

    def vjp_fwd(self, x, key):
        return self.fwd(x, key), jnp.abs(x) <= self.bound

    def vjp_bwd(self, res, g):
        ret = g * res
        return (ret, None)


def quantized(x, bits=3, key=None):
    numerics = IntNumerics(bits)
    apply = jax.custom_vjp(numerics.fwd)
    apply.defvjp(numerics.vjp_fwd, numerics.vjp_bwd)
    return apply(x, key)
