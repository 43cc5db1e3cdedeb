"""A few operations with gradients of their own, written when jax still took what `vjp_bwd` returned."""

from legacy_ops.elementwise import divide, huber, hypot, log_add_exp, power, scale
from legacy_ops.layers import bilinear, cross_entropy, dense, mat_vec, rms_norm
from legacy_ops.numerics import quantized
from legacy_ops.quantization import clip_gradient, fake_quant, round_through

__all__ = [
    "bilinear",
    "clip_gradient",
    "cross_entropy",
    "dense",
    "divide",
    "fake_quant",
    "huber",
    "hypot",
    "log_add_exp",
    "mat_vec",
    "power",
    "quantized",
    "rms_norm",
    "round_through",
    "scale",
]
