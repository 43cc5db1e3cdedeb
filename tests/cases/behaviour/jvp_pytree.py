"""A `jvp` rule that maps over a pytree of inputs."""

import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim


class Dense(HiPrim):
    """`x @ w + b` with the parameters in a dictionary."""

    def __init__(self, p, x):
        self.in_avals = p, x
        self.out_aval = jax.typeof(jnp.zeros(p["b"].shape, x.dtype))
        self.params = {}
        super().__init__()

    def expand(self, p, x):
        return x @ p["w"] + p["b"]

    def jvp(self, primals, tangents):
        p, x = primals
        dp, dx = tangents
        return self(p, x), dx @ p["w"] + x @ dp["w"] + dp["b"]


def exercises():
    p = {"w": jnp.array([[1.0, 2.0], [3.0, -4.0], [0.5, 0.25]]), "b": jnp.array([0.1, -0.2])}
    x = jnp.array([0.5, 1.5, -2.0])
    return [(Dense(jax.tree.map(jax.typeof, p), jax.typeof(x)), (p, x))]
