"""Names as Python binds them: branches, loops, class bodies, star imports; and what a derived rule must not disturb."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import libcst as cst
import pytest

from codemods.project.scan import scan
from codemods.project.unit import Unit
from codemods.types import FileStatus
from tests.conftest import Rewriter

H = "from jax.experimental.hijax import HiPrim\n"

PRIMITIVE = {
    "swapped": H + "B, C = HiPrim, object\nB, C = C, B\nclass Op(C): pass",
    "walrus in a test": H + "B = object\nif (B := HiPrim): pass\nclass Op(B): pass",
    "class scope falls through": H + "class T:\n    if c:\n        HiPrim = object\n    class Op(HiPrim): pass",
    "star after a binding": "HiPrim = object\nfrom jax.experimental.hijax import *\nclass Op(HiPrim): pass",
    "star in a try": (
        "try:\n    from jax.experimental.hijax import *\nexcept ImportError:\n    HiPrim = None\nclass Op(HiPrim): pass"
    ),
    "bound in one branch": "if c:\n    from jax.experimental.hijax import HiPrim\nclass Op(HiPrim): pass",
    "the other branch raises": (
        "B = object\nif c:\n    from jax.experimental.hijax import HiPrim as B\nelse:\n    raise ImportError\n"
        "class Op(B): pass"
    ),
    "object beside a star of hijax": (
        "from jax.experimental.hijax import *\nclass Base(object): pass\nclass Op(Base, HiPrim): pass"
    ),
}


def _verdict(source: str) -> list[str]:
    unit = Unit.of_one(scan(cst.parse_module(source), "/case.py"))
    return [v.resolved.verdict.value for v in unit.classes if v.qualname.endswith("Op")]


@pytest.mark.parametrize("source", PRIMITIVE.values(), ids=PRIMITIVE.keys())
def test_primitive(source: str) -> None:
    assert _verdict(source) == ["primitive"]


def test_a_swap_the_other_way() -> None:
    assert _verdict(H + "B, C = object, HiPrim\nB, C = C, B\nclass Op(C): pass") == ["other"]


def test_a_lookup_in_a_table_is_unknown() -> None:
    source = "import sys\nh = sys.modules['jax.experimental.hijax']\nclass Op(h.HiPrim): pass"
    assert _verdict(source) == ["unknown"]


MUL = """
class Mul({bases}):
    def expand(self, x, y): return x * y
    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return self(x, y), dx * y + x * dy
"""
IMPORTS = "import jax\nfrom jax.experimental.hijax import HiPrim\n"
FAST = """
class Fast({bases}):
    def vjp_fwd(self, nzs, x, y): return x * y, (x, y)
    def vjp_bwd_retval(self, res, g): return (7 * g * res[1], 7 * g * res[0])
"""

NOT_DERIVED = {
    "a diamond with a hand-written rule": (
        "hides-a-rule",
        IMPORTS + FAST.format(bases="HiPrim") + MUL.format(bases="HiPrim") + "class Sub(Mul, Fast): pass\n",
    ),
    "a fallback without hijax": (
        "no-import",
        "import jax\ntry:\n    from jax.experimental.hijax import HiPrim\nexcept ImportError:\n    HiPrim = object\n"
        + MUL.format(bases="HiPrim"),
    ),
    "a mixin above the import": (
        "no-import",
        MUL.format(bases="").replace("Mul()", "Mixin") + IMPORTS + "class Mul(Mixin, HiPrim): pass\n",
    ),
    "jax is local later on": (
        "no-import",
        IMPORTS + MUL.format(bases="HiPrim").replace("        (x, y)", "        import jax\n        (x, y)"),
    ),
}


@pytest.mark.parametrize(("reason", "source"), NOT_DERIVED.values(), ids=NOT_DERIVED.keys())
def test_not_derived(reason: str, source: str, migrate: Rewriter) -> None:
    result = migrate(source.encode())
    assert result.error is None and [item.reason for item in result.manual] == [reason]
    assert result.after == result.before


QUIET = {
    "set from outside": MUL.format(bases="HiPrim") + "Mul.vjp_fwd = f\nMul.vjp_bwd_retval = b\n",
    "bound by a loop": MUL.format(bases="HiPrim") + "    for vjp_fwd, vjp_bwd_retval in [(f, b)]: pass\n",
    "bound by with": MUL.format(bases="HiPrim") + "    with c() as (vjp_fwd, vjp_bwd_retval): pass\n",
    "bound by a walrus": MUL.format(bases="HiPrim") + "    (vjp_fwd := f); (vjp_bwd_retval := b)\n",
    "two pairs at once": (
        MUL.format(bases="HiPrim")
        + "    (vjp_fwd, vjp_bwd_retval), (lin, linearized) = vjp_from_jvp, linearize_from_jvp\n"
    ),
    "nested targets": MUL.format(bases="HiPrim") + "    vjp_fwd, (vjp_bwd_retval,) = f, (b,)\n",
    "a rule behind jax's class": (
        MUL.format(bases="").replace("Mul()", "Rules")
        + "class Mul(HiPrim, Rules):\n    def expand(self, x): return x\n"
    ),
    "a stub with dots": "class Op(HiPrim):\n    def jvp(self, p, t): ...\n",
    "not implemented": "class Op(HiPrim):\n    def jvp(self, p, t): return NotImplemented\n",
    "raises after a message": (
        "class Op(HiPrim):\n    def jvp(self, p, t):\n        m = 'no'\n        raise TypeError(m)\n"
    ),
    "async": "class Op(HiPrim):\n    async def jvp(self, p, t): return p, t\n",
}


@pytest.mark.parametrize("body", QUIET.values(), ids=QUIET.keys())
def test_left_alone(body: str, migrate: Rewriter) -> None:
    result = migrate((IMPORTS + body).encode())
    assert (result.error, result.changes, result.manual) == (None, (), ())


BRANCHES = {
    "private module in the other branch": (
        "try:\n    from jax.experimental.hijax import HiPrim\n"
        "except ImportError:\n    from jax._src.hijax import HiPrim\n"
    ),
    "two branches alike": (
        "import os\nif os:\n    from jax.experimental.hijax import HiPrim\nelse:\n"
        "    from jax.experimental.hijax import HiPrim as HiPrim\n"
    ),
    "names for type checkers only": (
        "from typing import TYPE_CHECKING\nfrom jax.experimental.hijax import HiPrim\n"
        "if TYPE_CHECKING:\n    import jax\n    from jax.experimental.hijax import Zero, vjp_from_jvp\n"
    ),
    "another name is taken": "import jax\nfrom jax.experimental.hijax import HiPrim, Zero as Z\n",
    "several names a line": (
        "import jax\nfrom jax.experimental.hijax import (\n    AbstractRef, HiPrim, HiType,\n    register_hitype,\n)\n"
    ),
    "a comment behind the only name": "import jax\nfrom jax.experimental.hijax import (HiPrim, # a\n)\n",
}


@pytest.mark.parametrize("head", BRANCHES.values(), ids=BRANCHES.keys())
def test_the_result_runs(head: str, migrate: Rewriter, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    use = dedent("""
        import jax as the_jax
        class Mul(Mul):
            def __init__(self):
                self.in_avals = (the_jax.typeof(1.0),) * 2
                self.out_aval = the_jax.typeof(1.0)
                self.params = {}
                super().__init__()
        assert the_jax.grad(lambda x: Mul()(x, 3.0))(2.0) == 3.0
        assert the_jax.grad(lambda y: Mul()(2.0, y))(3.0) == 2.0
    """)
    local = MUL.format(bases="HiPrim")
    if "Zero as Z" in head:
        local = local.replace("        (x, y), (dx", "        Z = 1\n        (x, y), (dx")
    result = migrate((head + local + use).encode())
    assert result.error is None and result.changes, result
    path = tmp_path / "case.py"
    path.write_bytes(result.after)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, result.after.decode() + done.stderr
    for line in result.after.decode().splitlines():
        assert not line.startswith(("Zero", "vjp_from_jvp,", "instantiate"))


def test_a_docstring_stays_first(migrate: Rewriter) -> None:
    for body in ('"doc"; return self(*primals), tangents[0]', '\n        "doc"; return self(*primals), tangents[0]'):
        source = IMPORTS + f"class Op(HiPrim):\n    def jvp(self, primals, tangents): {body}\n"
        text = migrate(source.encode()).after.decode()
        assert 'tangents):\n        "doc"\n        tangents = jax.tree.map(' in text.replace("): \n", "):\n")


def test_a_suppressed_base_keeps_the_classes_below_it(migrate: Rewriter) -> None:
    base = MUL.format(bases="HiPrim").replace("tangents):", "tangents):  # hijax-codemods: ignore")
    sub = MUL.format(bases="Mul").replace("class Mul", "class Sub")
    result = migrate((IMPORTS + base + sub).encode())
    assert result.changes == () and result.after == result.before


SUPPRESSED = ["    @override  # noqa: E501;HJX101\n", "    @override  # hijax-codemods: ignore\n"]
NOT_SUPPRESSED = ["ignored by us", "ignore-file", "ignore[HJX101", "ignore [HJX101]"]
RULE = "    def vjp_bwd(self, res, g):{comment}\n        return (g,){after}\n"


@pytest.mark.parametrize("decorator", SUPPRESSED)
def test_suppressed_on_a_decorator(decorator: str, migrate: Rewriter) -> None:
    source = f"from typing import override\n{H}class Op(HiPrim):\n{decorator}" + RULE.format(comment="", after="")
    assert migrate(source.encode()).changes == ()


def test_suppressed_on_the_changed_return(migrate: Rewriter) -> None:
    source = f"{H}class Op(HiPrim):\n" + RULE.format(comment="", after="  # noqa : HJX101")
    assert migrate(source.encode()).changes == ()


@pytest.mark.parametrize("text", NOT_SUPPRESSED)
def test_malformed_suppressions_do_not_silence(text: str, migrate: Rewriter) -> None:
    source = f"{H}class Op(HiPrim):\n" + RULE.format(comment=f"  # hijax-codemods: {text}", after="")
    assert migrate(source.encode()).changes


@pytest.mark.parametrize("end", ["\r", "\r\r", "\r\r\r"])
def test_blank_lines_at_the_end_of_a_cr_file(end: str, migrate: Rewriter) -> None:
    source = (f"{H}class Op(HiPrim):\n" + RULE.format(comment="", after="")).rstrip("\n").replace("\n", "\r") + end
    result = migrate(source.encode())
    assert result.error is None
    assert result.after.decode() == source.replace("vjp_bwd", "vjp_bwd_retval")


def test_a_result_that_python_cannot_compile_is_not_written(migrate: Rewriter) -> None:
    source = H + "class Op(HiPrim):\n    def jvp(self, p, t):\n        return p[0], t[0]\n\\\nx = 1 \\\n\n"
    result = migrate(source.encode())
    assert result.status is FileStatus.FAILED and result.after == result.before
