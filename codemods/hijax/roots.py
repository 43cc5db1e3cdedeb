"""The names under which JAX has exported its primitive base class, and the names that are certainly something else."""

from __future__ import annotations

import builtins
import sys

PUBLIC_MODULE = "jax.experimental.hijax"
PRIVATE_MODULE = "jax._src.hijax"
MODULES = (PUBLIC_MODULE, PRIVATE_MODULE)

BASE_NAMES = ("HiPrim", "VJPHiPrimitive")
"""``VJPHiPrimitive`` up to jax 0.11.1, ``HiPrim`` from 0.11.2."""

ROOTS = frozenset(f"{module}.{name}" for module in MODULES for name in BASE_NAMES)

_NOT_PRIMITIVES = frozenset(
    f"{module}.{name}"
    for module in MODULES
    for name in ("HiType", "HiPrimitive", "MutableHiType", "HiPspec", "HipSpec", "MappingSpec", "GradAccum", "Zero")
)

EXPORTS = frozenset(
    "AbstractRef AbstractValue AvalMutableQDD AvalQDD GradAccum HiPrim HiPrimitive HiPspec HiType MappingSpec "
    "MutableHiType NullAccum RefAccum ShapedArray TransformedRef VJPHiPrimitive ValAccum Zero "
    "apply_derived_linearization aval_method aval_property bdims_at_front control_flow_allowed_effects "
    "instantiate_zeros is_undefined_primal jvp_from_lin linearize_from_jvp register_hitype unmap_avals vjp_from_jvp "
    "vjp_from_lin vmap_rule".split()
)
"""What ``from jax.experimental.hijax import *`` has bound in some release."""

RULE_NAMES = tuple(
    "expand vjp_fwd vjp_bwd vjp_bwd_retval vjp_bwd_retval_logs jvp lin linearized batch batch_dim_rule transpose dce "
    "remat".split()
)
"""In the order in which they are listed."""

RULE_METHODS = frozenset(RULE_NAMES)


def is_root(dotted: str) -> bool:
    """Whether an absolute dotted name is jax's primitive base class."""
    return dotted in ROOTS


def is_certainly_other(dotted: str) -> bool:
    """Whether a dotted name is certainly no primitive class: builtins, the standard library, known JAX names."""
    top = dotted.partition(".")[0]
    if top == "builtins":
        return hasattr(builtins, dotted.partition(".")[2])
    if dotted in _NOT_PRIMITIVES:
        return True
    return top in sys.stdlib_module_names or top in ("typing_extensions", "jaxtyping", "numpy")
