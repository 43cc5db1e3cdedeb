"""Which classes are primitives: every way to spell the base class, and what only looks like one."""

from __future__ import annotations

from textwrap import dedent

import libcst as cst
import pytest

from codemods.project.scan import scan
from codemods.project.unit import Unit


def verdicts(source: str) -> dict[str, list[str]]:
    """The verdict of each class, by qualified name; a list, as one file can define a name several times."""
    index = Unit.of_one(scan(cst.parse_module(dedent(source)), "/case.py"))
    found: dict[str, list[str]] = {}
    for view in index.classes:
        found.setdefault(view.qualname, []).append(view.resolved.verdict.value)
    return found


PRIMITIVE = {
    "from-import": "from jax.experimental.hijax import HiPrim\nclass Op(HiPrim): pass",
    "old name": "from jax.experimental.hijax import VJPHiPrimitive\nclass Op(VJPHiPrimitive): pass",
    "private module": "from jax._src.hijax import HiPrim\nclass Op(HiPrim): pass",
    "alias": "from jax.experimental.hijax import VJPHiPrimitive as P\nclass Op(P): pass",
    "module": "from jax.experimental import hijax\nclass Op(hijax.HiPrim): pass",
    "module alias": "from jax.experimental import hijax as hjx\nclass Op(hjx.HiPrim): pass",
    "import as": "import jax.experimental.hijax as hjx, os\nclass Op(hjx.HiPrim): pass",
    "dotted": "import jax.experimental.hijax\nclass Op(jax.experimental.hijax.HiPrim): pass",
    "private dotted": "import jax\nclass Op(jax._src.hijax.HiPrim): pass",
    "star": "from jax.experimental.hijax import *\nclass Op(HiPrim): pass",
    "assigned": "from jax.experimental import hijax\nBase = hijax.HiPrim\nclass Op(Base): pass",
    "assigned twice": "from jax.experimental import hijax\nA = hijax.HiPrim\nB = A\nclass Op(B): pass",
    "annotated": "from jax.experimental import hijax\nBase: type = hijax.HiPrim\nclass Op(Base): pass",
    "unpacked": "from jax.experimental import hijax\nBase, n = hijax.HiPrim, 1\nclass Op(Base): pass",
    "ternary": (
        "import jax\nfrom jax.experimental import hijax\n"
        "Base = hijax.HiPrim if jax.__version_info__ >= (0, 11, 2) else hijax.VJPHiPrimitive\nclass Op(Base): pass"
    ),
    "if/else": (
        "import jax\nif jax.__version_info__ >= (0, 11, 2):\n    from jax.experimental.hijax import HiPrim as P\n"
        "else:\n    from jax.experimental.hijax import VJPHiPrimitive as P\nclass Op(P): pass"
    ),
    "elif": (
        "import jax\nif A:\n    P = object\nelif B:\n    from jax.experimental.hijax import HiPrim as P\n"
        "else:\n    P = None\nclass Op(P): pass"
    ),
    "try/except": (
        "try:\n    from jax.experimental.hijax import HiPrim\nexcept ImportError:\n"
        "    from jax.experimental.hijax import VJPHiPrimitive as HiPrim\nclass Op(HiPrim): pass"
    ),
    "try with fallback": (
        "try:\n    from jax.experimental.hijax import HiPrim\nexcept ImportError:\n    HiPrim = object\n"
        "class Op(HiPrim): pass"
    ),
    "getattr": "from jax.experimental import hijax\nP = getattr(hijax, 'HiPrim')\nclass Op(P): pass",
    "getattr or": (
        "from jax.experimental import hijax\nP = getattr(hijax, 'HiPrim', None) or hijax.VJPHiPrimitive\n"
        "class Op(P): pass"
    ),
    "getattr default": (
        "from jax.experimental import hijax\nP = getattr(hijax, 'HiPrim', hijax.VJPHiPrimitive)\nclass Op(P): pass"
    ),
    "hasattr": (
        "from jax.experimental import hijax\nif hasattr(hijax, 'HiPrim'):\n    P = hijax.HiPrim\n"
        "else:\n    P = hijax.VJPHiPrimitive\nclass Op(P): pass"
    ),
    "type checking": (
        "from typing import TYPE_CHECKING\nfrom jax.experimental import hijax\nif TYPE_CHECKING:\n"
        "    from jax.experimental.hijax import HiPrim as P\nelse:\n    P = hijax.VJPHiPrimitive\nclass Op(P): pass"
    ),
    "walrus": "from jax.experimental import hijax\nclass Op((P := hijax.HiPrim)): pass",
    "cast": "import typing\nfrom jax.experimental import hijax\nP = typing.cast(type, hijax.HiPrim)\nclass Op(P): pass",
    "in-file base": (
        "from jax.experimental.hijax import HiPrim\nclass B(HiPrim): pass\nclass C(B): pass\nclass Op(C): pass"
    ),
    "mixin first": ("from jax.experimental.hijax import HiPrim\nclass Mixin: pass\nclass Op(Mixin, HiPrim): pass"),
    "unknown mixin": "from jax.experimental.hijax import HiPrim\nfrom .m import M\nclass Op(M, HiPrim): pass",
    "generic": (
        "from typing import Generic, TypeVar\nfrom jax.experimental.hijax import HiPrim\nT = TypeVar('T')\n"
        "class Base(HiPrim, Generic[T]): pass\nclass Op(Base[int]): pass"
    ),
    "pep 695": "from jax.experimental.hijax import HiPrim\nclass Op[T](HiPrim): pass",
    "keyword base": "from abc import *\nfrom jax.experimental.hijax import HiPrim\nclass Op(HiPrim, metaclass=M): pass",
    "import after a string": '"""d"""; from jax.experimental.hijax import HiPrim\nclass Op(HiPrim): pass',
}


@pytest.mark.parametrize("source", PRIMITIVE.values(), ids=PRIMITIVE.keys())
def test_primitive(source: str) -> None:
    assert verdicts(source)["Op"] == ["primitive"]


OTHER = {
    "no base": "class Op: pass",
    "object": "class Op(object): pass",
    "standard library": "import abc\nclass Op(abc.ABC): pass",
    "protocol": "from typing import Protocol\nclass Op(Protocol): pass",
    "a hijax type": "from jax.experimental.hijax import HiType\nclass Op(HiType): pass",
    "the older HiPrimitive": "from jax.experimental.hijax import HiPrimitive\nclass Op(HiPrimitive): pass",
    "own class of the name": "class HiPrim: pass\nclass Op(HiPrim): pass",
    "rebound": "from jax.experimental.hijax import HiPrim\nHiPrim = object\nclass Op(HiPrim): pass",
    "rebound by a class": "from jax.experimental.hijax import HiPrim\nclass HiPrim: pass\nclass Op(HiPrim): pass",
    "only for type checkers": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from jax.experimental.hijax import HiPrim\n"
        "else:\n    HiPrim = object\nclass Op(HiPrim): pass"
    ),
    "not type checking": (
        "from typing import TYPE_CHECKING\nif not TYPE_CHECKING:\n    HiPrim = object\nelse:\n"
        "    from jax.experimental.hijax import HiPrim\nclass Op(HiPrim): pass"
    ),
    "metaclass": "from jax.experimental.hijax import HiPrim\nclass Op(metaclass=HiPrim): pass",
    "name in a string": "base = 'jax.experimental.hijax.HiPrim'\nclass Op: pass",
}


@pytest.mark.parametrize("source", OTHER.values(), ids=OTHER.keys())
def test_other(source: str) -> None:
    assert verdicts(source)["Op"] == ["other"]


UNKNOWN = {
    "project module": "from .base import Base\nclass Op(Base): pass",
    "own module called hijax": "from .hijax import HiPrim\nclass Op(HiPrim): pass",
    "HiPrim of another library": "from mylib.hijax import HiPrim\nclass Op(HiPrim): pass",
    "call": "from jax.experimental.hijax import HiPrim\ndef make(): return HiPrim\nclass Op(make()): pass",
    "starred": "from jax.experimental.hijax import HiPrim\nbases = (HiPrim,)\nclass Op(*bases): pass",
    "registry": "from reg import R\nclass Op(R['base']): pass",
    "parameter": "def f(Base):\n    class Op(Base): pass",
    "undefined": "class Op(Somewhere): pass",
    "star of another module": "from other import *\nclass Op(HiPrim): pass",
}


@pytest.mark.parametrize("source", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_unknown(source: str) -> None:
    assert [v for name, v in verdicts(source).items() if name.endswith("Op")] == [["unknown"]]


def test_unknown_names_the_base() -> None:
    source = "from .m import Base\nclass Mid(Base): pass\nclass Op(Mid): pass"
    index = Unit.of_one(scan(cst.parse_module(source), "/case.py"))
    assert index.classes[1].unknown_bases == ("Base",)


def test_classes_of_one_name_are_told_apart() -> None:
    source = """
        from jax.experimental.hijax import HiPrim
        class TestOps:
            def test_a(self):
                class Sin(HiPrim): pass
            def test_b(self):
                class Sin: pass
            def test_c(self):
                from jax.experimental.hijax import VJPHiPrimitive as HiPrim
                class Sin(HiPrim): pass
        class Sin(HiPrim): pass
        class Sin: pass
    """
    found = verdicts(source)
    assert found["TestOps.test_a.<locals>.Sin"] == ["primitive"]
    assert found["TestOps.test_b.<locals>.Sin"] == ["other"]
    assert found["TestOps.test_c.<locals>.Sin"] == ["primitive"]
    assert found["Sin"] == ["primitive", "other"]


def test_imports_in_scopes() -> None:
    source = """
        class A:
            from jax.experimental.hijax import HiPrim
            class Inside(HiPrim): pass
            def method(self):
                class Deep(HiPrim): pass
        def f():
            from jax.experimental.hijax import HiPrim
            def g():
                class Op(HiPrim): pass
        class Outside(HiPrim): pass
    """
    found = verdicts(source)
    assert found["A.Inside"] == ["primitive"]
    assert found["A.method.<locals>.Deep"] == ["unknown"]  # class scopes are not seen from methods
    assert found["f.<locals>.g.<locals>.Op"] == ["primitive"]
    assert found["Outside"] == ["unknown"]


def test_a_function_sees_what_the_module_binds_later() -> None:
    source = """
        def make():
            class Op(HiPrim): pass
            return Op
        from jax.experimental.hijax import HiPrim
    """
    assert verdicts(source)["make.<locals>.Op"] == ["primitive"]


@pytest.mark.parametrize("base", ["Op", "Op, object"])
def test_a_class_that_names_itself(base: str) -> None:
    assert verdicts(f"class Op({base}): pass")["Op"] == ["unknown"]


def test_lineage_is_pythons_method_resolution_order() -> None:
    source = dedent("""
        class Root: pass
        class A(Root): pass
        class B(Root): pass
        class C(A, B): pass
        class D(B): pass
        class E(C, D): pass
    """)
    index = Unit.of_one(scan(cst.parse_module(source), "/case.py"))
    space: dict[str, type] = {}
    exec(source, space)
    for view in index.classes:
        expected = [c.__name__ for c in space[view.qualname].__mro__ if c is not object]
        assert [ancestor.qualname for ancestor in view.lineage] == expected
