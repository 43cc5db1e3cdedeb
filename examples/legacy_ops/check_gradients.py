"""Take the gradients of every operation with jax and compare them with what they should be.

Run it before and after a migration, from anywhere: `python check_gradients.py`. It exits with 1 while an operation that
hijax-codemods migrates fails.
"""

import sys
from dataclasses import dataclass
from typing import Any, Callable

import jax
import jax.numpy as jnp
import legacy_ops as ops
import numpy as np

KEY = jax.random.key(0)
X, Y = jax.random.normal(KEY, (2, 4)) + jnp.array([[0.25], [2.0]])
MATRIX = jax.random.normal(jax.random.key(1), (5, 4))
LABELS = jnp.array([0, 3, 1, 1, 2])
LAYER = {"kernel": MATRIX.T, "bias": jnp.arange(5.0)}


@dataclass
class Op:
    """An operation and a function in plain jax.numpy that has the gradients that it should have."""

    name: str
    function: Callable[..., Any]
    right: Callable[..., Any]
    args: tuple
    needs_you: bool = False


def straight(x, rounded):
    """The value of `rounded`, the gradient of `x`."""
    return x + jax.lax.stop_gradient(rounded - x)


def fake_quant(x, step):
    steps = x / jax.lax.stop_gradient(step)
    inside = jnp.abs(steps) <= 2
    error = jnp.where(inside, jnp.round(steps) - steps, 2 * jnp.sign(steps))
    return jnp.where(inside, x, jax.lax.stop_gradient(x)) + jax.lax.stop_gradient(error) * step


def clipped_gradient(x):
    """`weighted_sum` hands the weights down as the cotangent."""
    return x * jnp.clip(weights(x), -0.5, 0.5) / weights(x)


def cross_entropy(logits, labels):
    return jax.nn.logsumexp(logits, axis=-1) - logits[jnp.arange(len(labels)), labels]


def norm(x, gain):
    return gain * x / jnp.sqrt(jnp.mean(x**2, axis=-1, keepdims=True))


def huber(x, target):
    size = jnp.abs(x - target)
    return jnp.where(size < 1, size**2 / 2, size - 0.5)


OPS = [
    Op("scale", ops.scale, jnp.multiply, (X, Y)),
    Op("hypot", ops.hypot, lambda x, y: jnp.sqrt(x * x + y * y), (X, Y)),
    Op("power 0", lambda x: ops.power(x, 0), jnp.ones_like, (X,)),
    Op("power 1", lambda x: ops.power(x, 1), lambda x: x, (X,)),
    Op("power 3", lambda x: ops.power(x, 3), lambda x: x * x * x, (X,)),
    Op("divide", ops.divide, jnp.divide, (X, Y)),
    Op("divide frozen", lambda x, y: ops.divide(x, y, True), lambda x, y: x / jax.lax.stop_gradient(y), (X, Y)),
    Op("log_add_exp", ops.log_add_exp, lambda x, y: jnp.log(jnp.exp(x) + jnp.exp(y)), (X, Y)),
    Op("huber", ops.huber, huber, (X, Y), needs_you=True),
    Op("dense", ops.dense, lambda p, x: jnp.einsum("ij,jk->ik", x, p["kernel"]) + p["bias"], (LAYER, MATRIX)),
    Op("mat_vec", ops.mat_vec, lambda m, v: jnp.sum(m * v, axis=-1), (MATRIX, X)),
    Op("rms_norm", ops.rms_norm, norm, (MATRIX, Y)),
    Op("cross_entropy", ops.cross_entropy, cross_entropy, (MATRIX, LABELS)),
    Op("bilinear", ops.bilinear, lambda x, w, y: jnp.einsum("i,ij,j", x, w, y), (MATRIX[:, 0], MATRIX, X)),
    Op("round_through", ops.round_through, lambda x: straight(x, jnp.round(x)), (X,)),
    Op("fake_quant", ops.fake_quant, fake_quant, (3 * X, jnp.array(0.7))),
    Op("clip_gradient", lambda x: ops.clip_gradient(x, 0.5), clipped_gradient, (X,)),
    Op("quantized", ops.quantized, lambda x: straight(jnp.clip(x, -3, 3), jnp.round(x)), (3 * X,)),
]


def weights(out):
    """Another cotangent for each element of a result."""
    return jnp.linspace(-1.0, 1.2, out.size, dtype=out.dtype).reshape(out.shape)


def gradients(function, args, inputs):
    """The gradients by some inputs of a sum with weights."""
    def weighted_sum(*args):
        out = function(*args)
        return jnp.sum(weights(out) * out)

    return jax.grad(weighted_sum, inputs)(*args)


def verdict(op):
    """`ok`, or what is wrong."""
    leaves = [jax.tree.leaves(arg)[0] for arg in op.args]
    floating = tuple(i for i, leaf in enumerate(leaves) if jnp.issubdtype(leaf.dtype, jnp.floating))
    right = jax.jit(lambda *args: gradients(op.right, args, floating))(*op.args)
    ways = {
        "all inputs": lambda *args: gradients(op.function, args, floating),
        "all inputs under jit": jax.jit(lambda *args: gradients(op.function, args, floating)),
        **{f"input {i} alone": lambda *args, i=i: gradients(op.function, args, (i,)) for i in floating},
    }
    for way, take in ways.items():
        try:
            found = take(*op.args)
        except Exception as problem:
            return f"raised {type(problem).__name__}: {str(problem) or '(no message)'}".splitlines()[0]
        wanted = [right[floating.index(int(way.split()[1]))]] if way.endswith("alone") else right
        for got, value in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            if not np.allclose(got, value, rtol=1e-4, atol=1e-5):
                return f"FAILED: the gradient by {way} is {got}, should be {value}".replace("\n", "")
    return "ok"


def main():
    verdicts = {op.name: verdict(op) for op in OPS}
    failed = 0
    for op in OPS:
        said = verdicts[op.name]
        if said != "ok" and op.needs_you:
            said = f"needs you ({said})"
        elif said != "ok":
            failed += 1
        print(f"{op.name:14} {said}")
    print(f"jax {jax.__version__}: {failed} of {len(OPS)} fail" if failed else f"jax {jax.__version__}: all is well")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
