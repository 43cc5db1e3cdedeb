"""Primitive classes over many files: found wherever their bases lead, moved together, the same in any order."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest

from codemods import pipeline
from codemods.types import BwdStyle
from tests.trees import findings, run, verdicts, write_tree

RULE = "\n    def vjp_bwd(self, res, g):\n        return [g * res]\n"

BASE = "from jax.experimental.hijax import HiPrim\nclass Base(HiPrim):\n    pass\n"

# A project each; every class called Op must be found, none called Not.
FOUND = {
    "absolute import": {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/op.py": "from pkg.base import Base\nclass Op(Base): pass",
    },
    "relative import": {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/op.py": "from .base import Base\nclass Op(Base): pass",
    },
    "two levels up": {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/a/__init__.py": "",
        "pkg/a/b/__init__.py": "",
        "pkg/a/b/op.py": "from ...base import Base\nclass Op(Base): pass",
    },
    "module": {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/op.py": "from . import base\nclass Op(base.Base): pass",
    },
    "module alias": {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/op.py": "import pkg.base as b\nclass Op(b.Base): pass",
    },
    "dotted": {"pkg/__init__.py": "", "pkg/base.py": BASE, "op.py": "import pkg.base\nclass Op(pkg.base.Base): pass"},
    "re-export": {
        "pkg/__init__.py": "from .base import Base",
        "pkg/base.py": BASE,
        "op.py": "from pkg import Base\nclass Op(Base): pass",
    },
    "re-export under another name": {
        "pkg/__init__.py": "from .base import Base as Root",
        "pkg/base.py": BASE,
        "op.py": "import pkg\nclass Op(pkg.Root): pass",
    },
    "assigned alias": {
        "pkg/__init__.py": "",
        "pkg/base.py": BASE,
        "pkg/names.py": "from pkg.base import Base\nRoot = Base",
        "pkg/op.py": "from pkg.names import Root\nclass Op(Root): pass",
    },
    "star": {
        "pkg/__init__.py": "from .base import *",
        "pkg/base.py": BASE,
        "op.py": "from pkg import Base\nclass Op(Base): pass",
    },
    "star into the module": {"base.py": BASE, "op.py": "from base import *\nclass Op(Base): pass"},
    "star with a private name in __all__": {
        "base.py": "from jax.experimental.hijax import HiPrim\n__all__ = ['_Base']\nclass _Base(HiPrim): pass",
        "op.py": "from base import *\nclass Op(_Base): pass",
    },
    "star of hijax": {
        "base.py": "from jax.experimental.hijax import *",
        "op.py": "from base import HiPrim\nclass Op(HiPrim): pass",
    },
    "module and name alike": {
        "pkg/__init__.py": "from .Base import Base",
        "pkg/Base.py": BASE,
        "op.py": "from pkg import Base\nclass Op(Base): pass",
    },
    "src layout": {
        "src/pkg/__init__.py": "",
        "src/pkg/base.py": BASE,
        "tests/op.py": "from pkg.base import Base\nclass Op(Base): pass",
    },
    "namespace package": {
        "ns/part/base.py": BASE,
        "ns/other/op.py": "from ns.part.base import Base\nclass Op(Base): pass",
    },
    "two roots": {
        "one/pkg/__init__.py": "",
        "one/pkg/base.py": BASE,
        "one/pkg/op.py": "from pkg.base import Base\nclass Op(Base): pass",
        "two/pkg/__init__.py": "",
        "two/pkg/base.py": "class Base: pass",
        "two/pkg/op.py": "from pkg.base import Base\n# hijax\nclass Not(Base): pass",
    },
    "scripts beside each other": {"run/base.py": BASE, "run/op.py": "from base import Base\nclass Op(Base): pass"},
    "import cycle": {
        "pkg/__init__.py": "from . import op, base",
        "pkg/base.py": "import pkg.op\n" + BASE,
        "pkg/op.py": "import pkg.base\nclass Op(pkg.base.Base): pass",
    },
    "own shim": {
        "pkg/__init__.py": "",
        "pkg/compat.py": "import jax\nfrom jax.experimental import hijax\n"
        "HiPrim = hijax.HiPrim if jax.__version_info__ >= (0, 11, 2) else hijax.VJPHiPrimitive",
        "pkg/op.py": "from pkg.compat import HiPrim\nclass Op(HiPrim): pass",
    },
    "shim by try": {
        "pkg/__init__.py": "",
        "pkg/compat.py": "try:\n    from jax.experimental.hijax import HiPrim\nexcept ImportError:\n"
        "    from jax.experimental.hijax import VJPHiPrimitive as HiPrim",
        "pkg/op.py": "from .compat import HiPrim\nclass Op(HiPrim): pass",
    },
    "conditional import": {
        "base.py": BASE,
        "op.py": "try:\n    from base import Base\nexcept ImportError:\n    Base = object\nclass Op(Base): pass",
    },
    "in a function": {"base.py": BASE, "op.py": "def f():\n    from base import Base\n    class Op(Base): pass\n"},
    "nested class as a base": {"base.py": BASE, "op.py": "import base\nclass Outer:\n    class Op(base.Base): pass\n"},
    "generic": {
        "base.py": "from typing import Generic, TypeVar\nfrom jax.experimental.hijax import HiPrim\nT = TypeVar('T')\n"
        "class Base(HiPrim, Generic[T]): pass",
        "op.py": "from base import Base\nclass Op(Base[int]): pass",
    },
    "mixin from another file": {
        "base.py": BASE,
        "mixin.py": "class Mixin: pass",
        "op.py": "from base import Base\nfrom mixin import Mixin\nclass Op(Mixin, Base): pass",
    },
    "false friends": {
        "base.py": BASE,
        "op.py": "from base import Base\nclass Op(Base): pass",
        "hijax.py": "class HiPrim: pass",
        "friend.py": "from hijax import HiPrim\nclass Not(HiPrim): pass",
        "numerics/__init__.py": "",
        "numerics/base.py": "import abc\nclass Base(abc.ABC):\n    def vjp_bwd(self, res, g): ...",
        "numerics/int8.py": "from .base import Base\nclass Not(Base):\n    def vjp_bwd(self, res, g): return (g, None)",
    },
}


@pytest.mark.parametrize("files", FOUND.values(), ids=FOUND.keys())
def test_every_class_is_found_in_any_order(files: dict[str, str], tmp_path: Path) -> None:
    root = write_tree(tmp_path, files)
    found = verdicts(root)
    ops = {name: verdict for name, verdict in found.items() if name.endswith(("Op", "Not"))}
    assert ops and any(name.endswith("Op") for name in ops)
    assert ops == {name: "primitive" if name.endswith("Op") else "other" for name in ops}
    for seed in range(5):
        assert verdicts(root, seed) == found


NOT_TOLD = {
    "two modules equally near": {
        "a/base.py": BASE,
        "b/base.py": BASE,
        "c/op.py": "from base import Base\n# hijax\nclass Op(Base): pass",
    },
    "not in __all__": {
        "base.py": BASE + "__all__ = ['Other']\nOther = 1",
        "op.py": "from base import *\nclass Op(Base): pass",
    },
    "third party": {"op.py": "from flax import nnx\n# hijax\nclass Op(nnx.Thing): pass"},
    "a file with a syntax error": {
        "base.py": BASE + "def f(:",
        "op.py": "from base import Base\n# hijax\nclass Op(Base): pass",
    },
}


@pytest.mark.parametrize("files", NOT_TOLD.values(), ids=NOT_TOLD.keys())
def test_what_cannot_be_told_is_unknown(files: dict[str, str], tmp_path: Path) -> None:
    found = verdicts(write_tree(tmp_path, files))
    assert [verdict for name, verdict in found.items() if name.endswith(":Op")] == ["unknown"]


DEEP = {
    "pkg/__init__.py": "from .one import One",
    "pkg/one.py": "from jax.experimental.hijax import HiPrim\nclass One(HiPrim):\n"
    "    def vjp_bwd(self, res, g):\n        raise NotImplementedError\n",
    "pkg/two.py": "from pkg import One\nclass Two(One): pass\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/three.py": "from ..two import Two as Base\nclass Three(Base): pass\n",
    "pkg/sub/four.py": "from . import three\nclass Four(three.Three):\n    def expand(self, x): return x\n",
    "pkg/five.py": "import pkg.sub.four as f\nclass Five(f.Four):\n" + RULE,
    "use.py": "from pkg.five import Five\ndef use(x, res, g):\n    op = Five(x)\n    return op.vjp_bwd(res, g)\n",
    "noise.py": "class Five: pass\n",
}


def test_five_levels_over_six_files(tmp_path: Path) -> None:
    root = write_tree(tmp_path, DEEP)
    found = verdicts(root)
    assert [n for n, v in found.items() if v == "primitive"] == [
        "pkg/five.py:Five",
        "pkg/one.py:One",
        "pkg/sub/four.py:Four",
        "pkg/sub/three.py:Three",
        "pkg/two.py:Two",
    ]
    assert findings(run(root), root) == {
        "pkg/five.py": ["Five.vjp_bwd"],
        "pkg/one.py": ["One.vjp_bwd"],
        "use.py": ["use"],
    }


@pytest.mark.parametrize("bwd", list(BwdStyle), ids=lambda b: b.value)
def test_any_number_of_jobs_gives_the_same(bwd: BwdStyle, tmp_path: Path) -> None:
    root = write_tree(tmp_path, DEEP)
    write_tree(root, {f"more/op{i}.py": BASE + "    def expand(self, x): return x" + RULE for i in range(4)})
    one, two = (run(root, jobs=jobs, bwd=bwd) for jobs in (1, 2))
    assert one.files == two.files and len(one.changed) >= 4
    assert (one.files_parsed, one.classes) == (two.files_parsed, two.classes)


def test_a_part_of_the_project_is_changed_only_if_the_rest_can_stay(tmp_path: Path) -> None:
    root = write_tree(tmp_path, DEEP)
    report = run(root, "pkg/five.py")
    assert findings(report, root) == {"pkg/five.py": ["hierarchy Five.vjp_bwd"]}
    assert "pkg/one.py" in report.files[0].manual[0].message
    assert report.files_seen == 1


def test_a_base_outside_the_paths_is_read(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"lib/base.py": BASE, "app/op.py": "from lib.base import Base\nclass Op(Base):" + RULE})
    write_tree(
        root, {"app/op.py": "from lib.base import Base\nclass Op(Base):\n    def expand(self, x): return x" + RULE}
    )
    assert findings(run(root, "app"), root) == {"app/op.py": ["Op.vjp_bwd"]}


MIXIN = {
    "mixin.py": "class Rule:\n    def vjp_bwd(self, res, g):\n        return [g, None]\n",
    "op.py": "from jax.experimental.hijax import HiPrim\nfrom mixin import Rule\nclass Op(Rule, HiPrim): pass\n",
}


def test_a_rule_in_a_mixin_moves_in_the_mixin(tmp_path: Path) -> None:
    root = write_tree(tmp_path, MIXIN)
    assert findings(run(root), root) == {"mixin.py": ["Rule.vjp_bwd"]}


def test_a_mixin_that_something_else_uses_stays(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**MIXIN, "other.py": "from mixin import Rule\nclass Other(Rule): pass\n# vjp_bwd\n"})
    assert findings(run(root), root) == {"mixin.py": ["used-elsewhere Rule.vjp_bwd"]}


def test_a_derived_rule_looks_at_the_whole_hierarchy(tmp_path: Path) -> None:
    jvp = "    def jvp(self, primals, tangents):\n        (x,), (dx,) = primals, tangents\n        return x, dx\n"
    reverse = "    def vjp_fwd(self, nzs, x): return x, x\n    def vjp_bwd_retval(self, res, g): return (g,)\n"
    files = {
        "base.py": "from jax.experimental.hijax import HiPrim\nclass Base(HiPrim):\n" + reverse,
        "has.py": "from base import Base\nclass Has(Base):\n" + jvp,
        "plain.py": "from jax.experimental.hijax import HiPrim\nclass Plain(HiPrim): pass\n",
        "lacks.py": "from plain import Plain\nclass Lacks(Plain):\n" + jvp,
    }
    root = write_tree(tmp_path, files)
    report = run(root)
    assert findings(report, root) == {"lacks.py": ["Lacks.jvp"]}
    assert report.files[0].after.decode() == (
        "from plain import Plain\nfrom jax.experimental.hijax import vjp_from_jvp\nclass Lacks(Plain):\n"
        + jvp
        + "\n    vjp_fwd, vjp_bwd_retval = vjp_from_jvp\n"
    )


def test_a_caller_elsewhere_that_uses_the_value_keeps_the_hierarchy(tmp_path: Path) -> None:
    root = write_tree(tmp_path, DEEP)
    found = findings(run(root, bwd=BwdStyle.ACCUM), root)
    assert found == {"pkg/five.py": ["hierarchy Five.vjp_bwd"], "use.py": ["caller-uses-value use"]}


def test_a_file_that_cannot_be_parsed_costs_itself_only(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {**DEEP, "broken.py": "from jax.experimental.hijax import (\n"})
    report = run(root)
    assert [Path(f.path).name for f in report.files if f.error] == ["broken.py"]
    assert len(report.changed) == 3


def test_all_trees_side_by_side_with_one_job_and_with_two(tmp_path: Path) -> None:
    for number, files in enumerate([*FOUND.values(), *NOT_TOLD.values(), DEEP, MIXIN]):
        write_tree(tmp_path / f"project{number}", {name: text + "\n" for name, text in files.items()})
        write_tree(tmp_path / f"project{number}", {"rule.py": BASE + "    def expand(self, x): return x" + RULE})
    one, two = (run(tmp_path, jobs=jobs) for jobs in (1, 2))
    assert one.files == two.files and len(one.changed) > len(FOUND)


SPLIT = {
    "ops/__init__.py": "from .mul import Mul\nfrom .power import Power\n",
    "ops/base.py": """
        import jax
        from jax.experimental.hijax import HiPrim
        class Base(HiPrim):
            def __init__(self, *avals):
                self.in_avals = avals
                self.out_aval = avals[0]
                self.params = {}
                super().__init__()
            def vjp_bwd(self, res, g, *arg_accums):
                raise NotImplementedError
    """,
    "ops/rules.py": """
        class Saved:
            def vjp_fwd(self, nzs_in, *args):
                return self.expand(*args), args
    """,
    "ops/mul.py": """
        from .base import Base
        from .rules import Saved
        class Mul(Saved, Base):
            def expand(self, x, y):
                return x * y
            def vjp_bwd(self, res, g):
                x, y = res
                return [g * y, g * x]
    """,
    "ops/power.py": """
        import ops.mul as m
        class Scaled(m.Mul):
            def vjp_bwd(self, res, g):
                return super().vjp_bwd(res, 2.0 * g)
        class Power(m.Mul):
            def expand(self, x, n):
                return x**n
            def vjp_bwd(self, res, g):
                x, n = res
                return g * n * x ** (n - 1.0), None
    """,
    "check.py": """
        import jax
        import ops
        from ops.power import Scaled
        def use(prim, *args):
            avals = [jax.typeof(jax.numpy.asarray(a)) for a in args]
            return prim(*avals)(*map(jax.numpy.asarray, args))
        for i, expected in enumerate([3.0, 2.0]):
            assert jax.grad(lambda *a: use(ops.Mul, *a), i)(2.0, 3.0) == expected
            assert jax.jit(jax.grad(lambda *a: use(Scaled, *a), i))(2.0, 3.0) == 2 * expected
        assert jax.grad(lambda x: use(ops.Power, x, 3.0))(2.0) == 12.0
        assert jax.grad(lambda *a: use(ops.Power, *a), (0, 1))(2.0, 3.0) == (12.0, 0.0)
    """,
}


@pytest.mark.parametrize("bwd", list(BwdStyle), ids=lambda b: b.value)
def test_a_migrated_project_has_its_gradients(bwd: BwdStyle, tmp_path: Path) -> None:
    pytest.importorskip("jax")
    root = write_tree(tmp_path, SPLIT)

    def check() -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "check.py"], cwd=root, capture_output=True, text=True, check=False)

    assert "takes 3 positional arguments but" in check().stderr
    report = pipeline.apply(run(root, bwd=bwd))
    assert not report.errors and not report.manual, findings(report, root)
    done = check()
    assert done.returncode == 0, done.stderr
    again = run(root, bwd=bwd)
    assert not again.changes and not again.manual


def test_a_base_in_an_installed_package_is_read_but_not_imported(tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=False, symlinks=True)
    packages = next((tmp_path / "env").glob("lib*/python*/site-packages"))
    library = "from jax.experimental.hijax import HiPrim\nraise SystemExit('imported')\n"
    write_tree(
        packages, {"lib/__init__.py": "from ._base import Base", "lib/_base.py": library + "class Base(HiPrim): pass"}
    )
    root = write_tree(
        tmp_path / "project",
        {"op.py": "from lib import Base\nclass Op(Base):\n    def expand(self, x): return x" + RULE},
    )
    python = str(next((tmp_path / "env").glob("[bS]*/python*")))
    assert findings(run(root), root) == {"op.py": ["unknown-base Op.vjp_bwd"]}
    assert findings(run(root, python=python), root) == {"op.py": ["Op.vjp_bwd"]}
