"""Elementwise operations. Inputs have equal shapes."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    """`x * y`, ported from `jax.custom_vjp` as it was."""

    def __init__(self, x, y):
        self.in_avals = (x, y)
        self.out_aval = x
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return x * y

    def vjp_fwd(self, nzs_in, x, y):
        return self(x, y), (x, y)

    def vjp_bwd(self, res, g):
        x, y = res
        return g * y, g * x


class Hypot(HiPrim):
    """`sqrt(x**2 + y**2)` with a gradient of zero, not NaN, at the origin."""

    def __init__(self, x, y):
        self.in_avals = (x, y)
        self.out_aval = x
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return jnp.sqrt(x**2 + y**2)

    def vjp_fwd(self, nzs_in, x, y):
        out = self.expand(x, y)
        return out, (x, y, out)

    def vjp_bwd(self, res, g):
        x, y, out = res
        unit = g / jnp.where(out == 0, 1, out)
        return [
            unit * x,  # along x
            unit * y,  # along y
        ]


class Power(HiPrim):
    """`x**n` for a fixed integer `n`."""

    def __init__(self, x, *, n):
        self.in_avals = (x,)
        self.out_aval = x
        self.params = {"n": n}
        super().__init__()

    def expand(self, x):
        return x**self.n

    def vjp_fwd(self, nzs_in, x):
        return x**self.n, x

    def vjp_bwd(self, x, g):
        """d(x**n) = n * x**(n - 1) * dx"""
        if self.n == 0:
            return (jnp.zeros_like(g),)
        if self.n == 1:
            return (g,)
        else:
            return (self.n * x ** (self.n - 1) * g,)


class Divide(HiPrim):
    """`x / y`; with `frozen` the divisor is taken for a constant."""

    def __init__(self, x, y, *, frozen):
        self.in_avals = (x, y)
        self.out_aval = x
        self.params = {"frozen": frozen}
        super().__init__()

    def expand(self, x, y):
        return x / y

    def vjp_fwd(self, nzs_in, x, y):
        return x / y, (x, y)

    def vjp_bwd(self, res, g):
        x, y = res
        return (g / y, None) if self.frozen else (g / y, -g * x / y**2)


class LogAddExp(HiPrim):
    """`log(exp(x) + exp(y))`. The forward rule is all there is; the reverse rule was never needed."""

    def __init__(self, x, y):
        self.in_avals = (x, y)
        self.out_aval = x
        self.params = {}
        super().__init__()

    def expand(self, x, y):
        return jnp.logaddexp(x, y)

    def jvp(self, primals, tangents):
        x, y = primals
        dx, dy = tangents
        weight = jax.nn.sigmoid(x - y)
        return self(x, y), weight * dx + (1 - weight) * dy


class Huber(HiPrim):
    """The Huber loss of `x - target`. The cotangents have names: is this a log, or were they meant to be returned?"""

    def __init__(self, x, target):
        self.in_avals = (x, target)
        self.out_aval = x
        self.params = {}
        super().__init__()

    def expand(self, x, target):
        size = jnp.abs(x - target)
        return jnp.where(size < 1, size**2 / 2, size - 0.5)

    def vjp_fwd(self, nzs_in, x, target):
        return self.expand(x, target), jnp.clip(x - target, -1, 1)

    def vjp_bwd(self, slope, g, x_acc, target_acc):
        return {"x": g * slope, "target": -g * slope}


def scale(x, y):
    return Scale(jax.typeof(x), jax.typeof(y))(x, y)


def hypot(x, y):
    return Hypot(jax.typeof(x), jax.typeof(y))(x, y)


def power(x, n):
    return Power(jax.typeof(x), n=n)(x)


def divide(x, y, frozen=False):
    return Divide(jax.typeof(x), jax.typeof(y), frozen=frozen)(x, y)


def log_add_exp(x, y):
    return LogAddExp(jax.typeof(x), jax.typeof(y))(x, y)


def huber(x, target):
    return Huber(jax.typeof(x), jax.typeof(target))(x, target)
