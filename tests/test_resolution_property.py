"""Random classes over random files: what the tool finds is what Python's own ``__mro__`` says."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemods.engine.paths import module_path
from codemods.engine.units import Project
from codemods.project.facts import ClassKey, Verdict
from tests.class_files import Tree, random_tree
from tests.class_graphs import ROOT, Node, random_graph

JAX = {
    "jax/__init__.py": "",
    "jax/experimental/__init__.py": "",
    "jax/experimental/hijax.py": "class HiPrim:\n    pass\n",
}

ASK_PYTHON = """
import functools, importlib, json, operator, sys
modules, places, roots = json.load(sys.stdin)
sys.path[:0] = roots
for module in modules:
    importlib.import_module(module)
from jax.experimental.hijax import HiPrim
classes = {}
for number, place in places.items():
    module, _, name = place.partition(":")
    classes[operator.attrgetter(name)(sys.modules[module])] = int(number)
classes[HiPrim] = -1
print(json.dumps({n: [classes[c] for c in k.__mro__ if c in classes] for k, n in classes.items()}))
"""

Orders = dict[int, list[int]]
"""Of each class the numbers of its method resolution order."""


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def by_python(tree: Tree, folder: Path) -> Orders:
    """The orders as Python has them, in a process without anything installed."""
    write(folder / "jax_stub", JAX)
    places = {number: place for number, (_, _, place) in tree.places.items()}
    roots = [str(folder / "project" / root) for root in tree.roots] + [str(folder / "jax_stub")]
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-B", "-c", ASK_PYTHON],
        input=json.dumps([tree.modules, places, roots]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr + show(tree)
    return {int(number): order for number, order in json.loads(done.stdout).items() if int(number) != ROOT}


def by_tool(tree: Tree, folder: Path, random: Random) -> tuple[dict[int, Verdict], Orders]:
    """The verdict and the order of every class that was read; files and classes are taken in a random order."""
    files = {module_path(str(folder / "project" / name)): text.encode() for name, text in tree.files.items()}
    paths = list(files)
    random.shuffle(paths)
    project = Project({path: path for path in paths}, [], files.get)
    for path in random.sample(paths, random.randint(0, len(paths))):
        project.facts(path)
    project.candidates()
    keys = classes_read(project)
    wanted = {number: (module_path(str(folder / "project" / p)), name) for number, (p, name, _) in tree.places.items()}
    known = [(number, keys[place]) for number, place in wanted.items() if place in keys]
    random.shuffle(known)
    numbers = {key: number for number, key in known}
    resolved = {number: project.resolver.resolve(key) for number, key in known}
    return (
        {number: one.verdict for number, one in resolved.items()},
        {number: [numbers[key] for key in one.lineage] for number, one in resolved.items()},
    )


def classes_read(project: Project) -> dict[tuple[str, str], ClassKey]:
    """Every class of the files that are read, also of those that their bases lead to."""
    keys: dict[tuple[str, str], ClassKey] = {}
    while True:
        known = len(keys)
        for path, facts in project.all_facts().items():
            keys |= {(path, fact.qualname): ClassKey(path, fact.index) for fact in facts.classes}
        if len(keys) == known:
            return keys
        for key in keys.values():
            project.resolver.resolve(key)


def show(tree: Tree) -> str:
    return "\n" + "\n".join(f"# {path}\n{text}" for path, text in tree.files.items())


def check(tree: Tree, random: Random, orders: int = 1) -> dict[int, Verdict]:
    """Compare with Python, in several orders; the verdicts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        write(folder / "project", tree.files)
        expected = by_python(tree, folder)
        answers = [by_tool(tree, folder, random) for _ in range(orders)]
    for verdicts, found in answers:
        for number, order in expected.items():
            is_primitive = ROOT in order
            context = f"class {tree.places[number]}, by Python {order}{show(tree)}"
            if is_primitive:
                assert verdicts.get(number) is Verdict.PRIMITIVE, (verdicts.get(number), context)
            elif number not in tree.vague:
                assert verdicts.get(number, Verdict.OTHER) is Verdict.OTHER, context
            else:
                assert verdicts.get(number) is not Verdict.PRIMITIVE, context
            if number in found:
                # What comes behind jax's class is hidden by it.
                seen = order[: order.index(ROOT)] if is_primitive else order
                assert found[number] == seen, (found[number], context)
    return answers[0][0]


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_python_and_the_tool_agree_in_every_order_of_files(seed: int) -> None:
    random = Random(seed)
    check(random_tree(random_graph(random), random), random, orders=3)


@settings(max_examples=20, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 2**32))
def test_moving_classes_between_modules_changes_nothing(seed: int) -> None:
    random = Random(seed)
    graph: Sequence[Node] = random_graph(random)
    found = [primitives(check(random_tree(graph, random), random)) for _ in range(3)]
    assert found[0] == found[1] == found[2]


def primitives(verdicts: Mapping[int, Verdict]) -> set[int]:
    return {number for number, verdict in verdicts.items() if verdict is Verdict.PRIMITIVE}
