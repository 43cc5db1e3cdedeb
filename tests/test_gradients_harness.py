"""The harness itself: it passes right migrations and notices wrong ones."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.jax_release import skip_without_jax

skip_without_jax()

from tests.gradients import compare, load_module, works  # noqa: E402

MODULE = """\
import jax
import jax.numpy as jnp
from jax.experimental.hijax import HiPrim, NullAccum, Zero, instantiate_zeros, vjp_from_jvp


class Op(HiPrim):
    def __init__(self, *avals):
        self.in_avals, self.out_aval, self.params = avals, avals[0], {{}}
        super().__init__()

    def expand(self, x, p):
        return x * jnp.sin(p["y"]) + p["n"]

{rules}

def exercises():
    x, p = jnp.array([0.5, 1.5]), {{"y": jnp.array([1.0, -0.5]), "n": jnp.array([1, 2])}}
    return [(Op(jax.typeof(x), jax.tree.map(jax.typeof, p)), (x, p))]
"""

FORWARD = """\
def vjp_fwd(self, nzs_in, x, p):
    return x * jnp.sin(p["y"]) + p["n"], (x, p["y"])

"""

OLD = """\
def vjp_bwd(self, res, g):
    x, y = res
    return [g * jnp.sin(y), {"y": g * x * jnp.cos(y), "n": None}]
"""

RETVAL = """\
def vjp_bwd_retval(self, res, g):
    x, y = res
    return g * jnp.sin(y), {"y": g * x * jnp.cos(y), "n": None}
"""

ACCUM = """\
def vjp_bwd(self, res, g, x_acc, p_acc):
    x, y = res
    x_acc.accum(g * jnp.sin(y))
    p_acc["y"].accum(g * x * jnp.cos(y))
"""

JVP = """\
def jvp(self, primals, tangents):
    x, p = primals
    dx, dp = tangents
    return self(x, p), jnp.sin(p["y"]) * dx + x * jnp.cos(p["y"]) * dp["y"]
"""

INSTANTIATE = "    tangents = jax.tree.map(instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, Zero))\n"
DERIVED = JVP.replace("    x, p =", INSTANTIATE + "    x, p =") + "\nvjp_fwd, vjp_bwd_retval = vjp_from_jvp\n"

SWAPPED = RETVAL.replace("g * jnp.sin(y), {", "g * x * jnp.cos(y), {").replace(
    '"y": g * x * jnp.cos(y)', '"y": g * jnp.sin(y)'
)
BATCH = """
def batch(self, axis_data, args, dims):
    x, p = args
    p = p if dims[1]["n"] == 0 else {**p, "n": jnp.broadcast_to(p["n"], (axis_data.size, 2))}
    return Op(jax.typeof(x), jax.tree.map(jax.typeof, p))(x, p), 0
"""


def check(before: str, after: str) -> None:
    def module(rules: str, name: str) -> str:
        return MODULE.format(rules=indent(dedent(rules), "    "))

    compare(load_module(module(before, "before"), "before"), load_module(module(after, "after"), "after"))


@pytest.mark.parametrize("after", [RETVAL, ACCUM], ids=["retval", "accum"])
@pytest.mark.parametrize("batch", ["", BATCH], ids=["", "batched"])
def test_right_migrations_pass(after: str, batch: str) -> None:
    check(FORWARD + OLD, FORWARD + after + batch)


def test_right_derived_rules_pass() -> None:
    check(JVP, DERIVED)


WRONG = {
    "swapped cotangents": (SWAPPED, "leaf 0 at trial 0"),
    "wrong sign": (RETVAL.replace("x * jnp.cos", "-x * jnp.cos"), "leaf 2 at trial 0"),
    "dropped accumulation": (ACCUM.replace('    p_acc["y"].accum(g * x * jnp.cos(y))\n', ""), "leaf 2 at trial 0"),
    "accumulated twice": (ACCUM + "    x_acc.accum(g * jnp.sin(y))\n", "leaf 0 at trial 0"),
    "returned list": (OLD.replace("vjp_bwd", "vjp_bwd_retval"), "ValueError"),
    "not migrated": (OLD, "TypeError"),
    "a dict, taken for logs": (ACCUM.split("    x_acc")[0] + "    return {'x': g}\n", "leaf 0"),
    "right only when all is wanted": (
        ACCUM.replace("x_acc.accum(g", "x_acc.accum((2 if isinstance(p_acc['y'], NullAccum) else 1) * g"),
        "grad of leaf 0 alone",
    ),
    "right only outside jit": (RETVAL.replace("return g *", "return (1 if bool(g[0]) else 1) * g *"), "under jit"),
    "right only here": (RETVAL.replace("jnp.sin(y), {", "jnp.sin(y) * (x[0] * 2), {"), "at trial 1"),
    "right only for one row": (
        RETVAL.replace("g * jnp.sin(y)", "g * (jnp.sin(y) if y.ndim == 1 else jnp.sin(y)[::-1])") + BATCH,
        "grad of vmap",
    ),
}


@pytest.mark.parametrize(("after", "said"), WRONG.values(), ids=WRONG)
def test_wrong_migrations_are_noticed(after: str, said: str) -> None:
    with pytest.raises(AssertionError) as failure:
        check(FORWARD + OLD, FORWARD + after)
    assert said in str(failure.value)


def test_symbolic_zeros_are_noticed() -> None:
    with pytest.raises(AssertionError, match=r"alone.*Zero"):
        check(JVP, JVP + "\nvjp_fwd, vjp_bwd_retval = vjp_from_jvp\n")


def test_accumulators_are_read_from_an_original_that_fills_them() -> None:
    check(FORWARD + ACCUM, FORWARD + RETVAL)
    with pytest.raises(AssertionError):
        check(FORWARD + ACCUM, FORWARD + SWAPPED)


def test_structured_residuals_come_before_the_cotangent() -> None:
    old = FORWARD.replace('(x, p["y"])', '(x,), True, {"y": p["y"]}') + OLD.replace("res, g", "res, sres, g, *accs")
    old = old.replace("x, y = res", '(x,), y = res, sres["y"]')
    check(old, FORWARD + RETVAL)


NOTING = "EVENTS = []\n\n\ndef note(name, value):\n    EVENTS.append(name)\n    return value\n\n\n"


def test_the_order_of_side_effects_is_compared() -> None:
    first, second = 'note("x", g * jnp.sin(y))', '{"y": note("y", g * x * jnp.cos(y)), "n": None}'
    right = f"def vjp_bwd_retval(self, res, g):\n    x, y = res\n    return {first}, {second}\n"
    wrong = f"def vjp_bwd_retval(self, res, g):\n    x, y = res\n    late = {second}\n    return {first}, late\n"
    modules = [
        load_module(NOTING + MODULE.format(rules=indent(FORWARD + r, "    ")), "m") for r in (right, right, wrong)
    ]
    compare(modules[0], modules[1])
    with pytest.raises(AssertionError, match=r"runs \['y', 'x'\], the original \['x', 'y'\]"):
        compare(modules[0], modules[2])


@pytest.mark.parametrize(("rules", "right"), [(FORWARD + OLD, False), (FORWARD + RETVAL, True), (JVP, False)])
def test_works_tells_whether_jax_takes_a_module_as_it_is(rules: str, right: bool) -> None:
    assert works(load_module(MODULE.format(rules=indent(rules, "    ")), "as_it_is")) is right
