"""hijax-codemods: migrate code that defines primitives on ``jax.experimental.hijax``."""

__version__ = "0.1.0"
