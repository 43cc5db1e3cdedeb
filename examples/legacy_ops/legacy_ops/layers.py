"""What a small network needs."""

import jax
import jax.numpy as jnp
from jax.experimental import hijax


class Dense(hijax.HiPrim):
    """`x @ kernel + bias` with the parameters in one dictionary."""

    def __init__(self, params, x):
        self.in_avals = (params, x)
        self.out_aval = jax.typeof(jnp.zeros((*x.shape[:-1], *params["bias"].shape), x.dtype))
        self.params = {}
        super().__init__()

    def expand(self, params, x):
        return x @ params["kernel"] + params["bias"]

    def vjp_fwd(self, nzs_in, params, x):
        return self.expand(params, x), (params["kernel"], x)

    def vjp_bwd(self, res, g):
        kernel, x = res
        # The cotangent of the parameters has their structure.
        return {"kernel": x.T @ g, "bias": g.sum(axis=0)}, g @ kernel.T


class MatVec(hijax.HiPrim):
    """`matrix @ vector`; jax works the gradient out."""

    def __init__(self, matrix, vector):
        self.in_avals = (matrix, vector)
        self.out_aval = jax.typeof(jnp.zeros(matrix.shape[:1], matrix.dtype))
        self.params = {}
        super().__init__()

    def expand(self, matrix, vector):
        return matrix @ vector

    def vjp_fwd(self, nzs_in, matrix, vector):
        return self(matrix, vector), (matrix, vector)

    def vjp_bwd(self, res, g):
        _, pull = jax.vjp(self.expand, *res)
        return pull(g)


class RmsNorm(hijax.HiPrim):
    """`gain * x / rms(x)`"""

    def __init__(self, x, gain):
        self.in_avals = (x, gain)
        self.out_aval = x
        self.params = {}
        super().__init__()

    def expand(self, x, gain):
        return gain * x * jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True))

    def vjp_fwd(self, nzs_in, x, gain):
        inverse = jax.lax.rsqrt(jnp.mean(x**2, axis=-1, keepdims=True))
        return gain * x * inverse, (x * inverse, inverse, gain)

    def vjp_bwd(self, res, g):
        return self._cotangents(*res, g)

    def _cotangents(self, normed, inverse, gain, g):
        scaled = g * gain
        along = jnp.mean(scaled * normed, axis=-1, keepdims=True)
        return inverse * (scaled - along * normed), jnp.sum(g * normed, axis=0)


class CrossEntropy(hijax.HiPrim):
    """The negative log-likelihood of one integer label an example."""

    def __init__(self, logits, labels):
        self.in_avals = (logits, labels)
        self.out_aval = jax.typeof(jnp.zeros(labels.shape, logits.dtype))
        self.params = {}
        super().__init__()

    def expand(self, logits, labels):
        picked = jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=-1)
        return -picked[:, 0]

    def vjp_fwd(self, nzs_in, logits, labels):
        return self(logits, labels), (logits, labels)

    def vjp_bwd(self, res, g):
        logits, labels = res
        wrong_by = jax.nn.softmax(logits) - jax.nn.one_hot(labels, logits.shape[-1])
        return (
            g[:, None] * wrong_by,
            None,  # a label has no gradient
        )


class Bilinear(hijax.HiPrim):
    """`sum(x * (w @ y))`, written for accumulators from the start."""

    def __init__(self, x, w, y):
        self.in_avals = (x, w, y)
        self.out_aval = jax.typeof(jnp.zeros((), x.dtype))
        self.params = {}
        super().__init__()

    def expand(self, x, w, y):
        return x @ w @ y

    def vjp_fwd(self, nzs_in, x, w, y):
        return x @ w @ y, (x, w, y)

    def vjp_bwd(self, res, g, x_acc, w_acc, y_acc):
        x, w, y = res
        x_acc.accum(g * (w @ y))
        if not isinstance(w_acc, hijax.NullAccum):  # the outer product is the costly one
            w_acc.accum(g * jnp.outer(x, y))
        y_acc.accum(g * (x @ w))


def dense(params, x):
    return Dense(jax.tree.map(jax.typeof, params), jax.typeof(x))(params, x)


def mat_vec(matrix, vector):
    return MatVec(jax.typeof(matrix), jax.typeof(vector))(matrix, vector)


def rms_norm(x, gain):
    return RmsNorm(jax.typeof(x), jax.typeof(gain))(x, gain)


def cross_entropy(logits, labels):
    return CrossEntropy(jax.typeof(logits), jax.typeof(labels))(logits, labels)


def bilinear(x, w, y):
    return Bilinear(jax.typeof(x), jax.typeof(w), jax.typeof(y))(x, w, y)
