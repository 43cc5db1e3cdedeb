"""Which JAX calls certainly give one array, which keep the structure of an argument, which give a tuple."""

from __future__ import annotations

_ARRAY_MODULES = ("jax.numpy.", "jax.lax.", "jax.nn.", "jax.scipy.special.")

_NOT_ONE_ARRAY = frozenset(
    # jax.numpy: several arrays, lists of arrays, or something that is no array at all
    "split array_split hsplit vsplit dsplit meshgrid unravel_index nonzero where unique unique_all unique_counts "
    "unique_inverse gradient histogram histogram2d histogramdd broadcast_arrays divmod modf frexp ix_ tril_indices "
    "triu_indices diag_indices mask_indices indices promote_types result_type shape ndim size dtype finfo iinfo "
    "einsum_path ogrid mgrid r_ c_ atleast_1d atleast_2d atleast_3d polydiv linspace polyfit average tree_map "
    "apply_along_axis apply_over_axes vectorize piecewise issubdtype isscalar unstack fromfunction frompyfunc ufunc "
    # jax.lax: control flow and functions over pytrees
    "cond switch scan while_loop fori_loop map associative_scan reduce reduce_window sort sort_key_val top_k "
    "custom_root custom_linear_solve psum pmean pmax pmin all_gather all_to_all ppermute pshuffle stop_gradient "
    "optimization_barrier axis_index fft_type platform_dependent composite approx_max_k approx_min_k eigh svd qr lu "
    "broadcast_shapes rng_bit_generator padtype_to_pads lpmn lpmn_values conv_dimension_numbers "
    "schur eig hessenberg tridiagonal ragged_all_to_all psum_scatter pbroadcast pcast with_sharding_constraint".split()
)

_ARRAY_METHODS = frozenset("astype reshape sum mean ravel squeeze swapaxes conj conjugate clip cumsum".split())

_TREE_MAPS = frozenset({"jax.tree.map", "jax.tree_util.tree_map", "jax.tree_map"})

PULLBACK_MAKERS = frozenset({"jax.vjp"})
"""``out, pull = jax.vjp(f, *primals)``: ``pull(ct)`` is a tuple with one cotangent per primal."""

TRANSPOSE_MAKERS = frozenset({"jax.linear_transpose"})
"""``jax.linear_transpose(f, *primals)(ct)`` is a tuple with one cotangent per primal."""


def gives_one_array(dotted: str) -> bool:
    """Whether a call of ``dotted`` certainly gives a single array."""
    name = dotted.rpartition(".")[2]
    if dotted.startswith("jax.numpy.linalg."):
        return name in ("norm", "inv", "det", "solve", "matmul", "pinv", "cholesky", "trace", "matrix_power")
    if dotted.startswith("jax.numpy.fft."):
        return "freq" not in name
    prefix = dotted[: len(dotted) - len(name)]
    return prefix in _ARRAY_MODULES and name not in _NOT_ONE_ARRAY and not name[:1].isupper()


_TAKES_SEQUENCES = frozenset(
    "concatenate stack hstack vstack dstack column_stack block array asarray select choose einsum tensordot append "
    "array_repr".split()
)


def takes_arrays(dotted: str) -> bool:
    """Whether every positional argument of a call of ``dotted`` is certainly an array, never a list of arrays."""
    return gives_one_array(dotted) and dotted.rpartition(".")[2] not in _TAKES_SEQUENCES


def is_array_method(name: str) -> bool:
    """Whether a method of this name is one that arrays have and that gives an array."""
    return name in _ARRAY_METHODS


def is_tree_map(dotted: str) -> bool:
    """Whether a call of ``dotted`` maps a function over pytrees and gives the structure of the first."""
    return dotted in _TREE_MAPS
