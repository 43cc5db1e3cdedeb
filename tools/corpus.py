"""Compare ``hijax-codemods classes`` with what Python says of released packages: `make corpus`.

For each package, every module that can be imported is imported, in a process of its own, and all classes below jax's
base class are collected. Each must be found in the package's source, and nothing else may be. Then a dry run over the
source shows what would change: nothing that already is right.

Run it with an interpreter that has the tool and the packages. Exits with 1 if a class was missed or is wrong.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PACKAGES = ("jax", "flax", "optax", "qwix")
MINUTES = 15


@dataclass(frozen=True)
class Truth:
    """What Python says: the classes below jax's, by file and qualified name, and the files that were imported."""

    package: Path
    classes: frozenset[tuple[str, str]]
    imported: frozenset[str]
    failed: Mapping[str, str]


@dataclass(frozen=True)
class Comparison:
    """``unconfirmed``: found in modules that cannot be imported here, or in functions that nobody called."""

    found: frozenset[tuple[str, str]]
    missed: frozenset[tuple[str, str]]
    wrong: frozenset[tuple[str, str]]
    unconfirmed: frozenset[tuple[str, str]]


def truth_of(package: str, python: str = sys.executable, mentioning: str = "") -> Truth:
    """Import a package's modules in a process, all or those whose source mentions a word, and ask Python."""
    command = [python, str(HERE / "corpus_truth.py"), package, mentioning]
    done = subprocess.run(command, capture_output=True, check=False, timeout=60 * MINUTES)
    if done.returncode != 0:
        raise RuntimeError(f"{package}: {done.stderr.decode(errors='replace')[-2000:]}")
    # Modules may print while they are imported; the answer comes last.
    answer = json.loads(done.stdout.decode().strip().rpartition("\n")[2])
    classes = frozenset((path, name) for path, name in answer["classes"])
    return Truth(Path(answer["package"]), classes, frozenset(answer["imported"]), answer["failed"])


def copy_of(package: Path, folder: Path) -> Path:
    """A copy of the Python files of a package, away from any git work tree and its ignored folders."""
    for path in sorted(package.rglob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            target = folder / package.name / path.relative_to(package)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    return folder / package.name


def compare(listed: Iterable[Mapping[str, Any]], copy: Path, truth: Truth) -> Comparison:
    """The tool's classes against Python's. ``listed``: path, line, name and verdict of each."""
    found = set[tuple[str, str]]()
    wrong = set[tuple[str, str]]()
    for one in listed:
        if one["verdict"] != "primitive":
            continue
        key = (Path(one["path"]).resolve().relative_to(copy.resolve()).as_posix(), str(one["name"]))
        found.add(key)
        if not stands_at(Path(one["path"]), int(one["line"]), key[1]):
            wrong.add(key)
    extra = found - truth.classes
    unconfirmed = {key for key in extra if key[0] not in truth.imported or "<locals>" in key[1]}
    return Comparison(
        frozenset(found),
        frozenset(truth.classes - found),
        frozenset(wrong | (extra - unconfirmed)),
        frozenset(unconfirmed),
    )


def stands_at(path: Path, line: int, qualname: str) -> bool:
    """Whether a class statement of that name is on the line."""
    name = qualname.rpartition(".")[2]
    tree = ast.parse(path.read_bytes())
    return any(isinstance(n, ast.ClassDef) and n.name == name and n.lineno == line for n in ast.walk(tree))


def _tool(command: str, copy: Path, python: str) -> dict[str, Any]:
    """The JSON report of a command over a copy."""
    options = ["--format", "json", "--isolated", "--root", str(copy.parent), "--python", python, "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "codemods", command, *options, str(copy)],
        cwd=HERE.parent,
        capture_output=True,
        check=False,
    )
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{command}: {done.stderr.decode(errors='replace')[-2000:]}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _changes(copy: Path, python: str) -> list[str]:
    """One line a change or manual item of a dry run."""
    lines = list[str]()
    for file in _tool("check", copy, python)["files"]:
        path = Path(file["path"]).resolve().relative_to(copy.parent.resolve())
        for kind in ("changes", "manual"):
            lines += [
                f"  {kind}: {path}:{item['line']}: {item['code']} {item['symbol']}: {item['message']}"
                for item in file[kind]
            ]
    return lines


def look_at(package: str, python: str) -> bool:
    """Print the comparison of one package; whether nothing was missed and nothing is wrong."""
    truth = truth_of(package, python)
    with tempfile.TemporaryDirectory() as folder:
        copy = copy_of(truth.package, Path(folder))
        listed = _tool("classes", copy, python)["classes"]
        result = compare(listed, copy, truth)
        unknown = [one for one in listed if one["verdict"] == "unknown"]
        changes = _changes(copy, python)
    print(
        f"{package}: {len(truth.classes)} classes by Python's MRO; {len(result.found)} found, "
        f"{len(result.missed)} missed, {len(result.wrong)} wrong, {len(result.unconfirmed)} unconfirmed, "
        f"{len(unknown)} unknown; {len(truth.imported)} modules imported, {len(truth.failed)} could not be; "
        f"a dry run finds {len(changes)}"
    )
    for kind in ("missed", "wrong", "unconfirmed"):
        for path, name in sorted(getattr(result, kind)):
            print(f"  {kind}: {package}/{path}: {name}")
    for one in unknown:
        print(f"  unknown: {one['name']} ({', '.join(one['unknown_bases'])})")
    print("".join(f"{line}\n" for line in changes), end="", flush=True)
    return not result.missed and not result.wrong


def main() -> int:
    """Look at the packages that are named, or at all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has the packages")
    arguments = parser.parse_args()
    results = [look_at(package, arguments.python) for package in arguments.packages]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
