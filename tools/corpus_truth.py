"""Import the modules of a package and print, as JSON, which classes derive from jax's base class.

Usage: corpus_truth.py PACKAGE [WORD]; with WORD only modules whose source holds it. Runs without the tool.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import json
import os
import re
import sys
import warnings
from pathlib import Path

# Tests and programs start things when they are imported.
STARTS_THINGS = re.compile(r"(^|_)(tests?|conftest|__main__|setup|benchmarks?|examples?)(_|$)")


def modules(package: Path, word: str) -> dict[str, str]:
    """The module name of each file of a package, by its path below the package."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        inner = path.relative_to(package)
        parts = [package.name, *inner.with_suffix("").parts]
        if any(STARTS_THINGS.search(part) for part in parts) or word.encode() not in path.read_bytes():
            continue
        found[inner.as_posix()] = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return found


def import_all(names: dict[str, str]) -> dict[str, str]:
    """Import each; what cannot be imported, with the reason."""
    failed = {}
    for path, name in names.items():
        try:
            importlib.import_module(name)
        except BaseException as problem:  # also SystemExit and what C extensions raise
            failed[path] = f"{type(problem).__name__}: {problem}"
    return failed


def below(base: type) -> set[type]:
    """The classes that derive from a class, through any number of others."""
    found: set[type] = set()
    waiting = [base]
    while waiting:
        children: list[type] = waiting.pop().__subclasses__()
        for child in children:
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def main(package: str, word: str = "") -> None:
    """Print the answer as the last line."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    warnings.simplefilter("ignore")
    spec = importlib.util.find_spec(package)
    assert spec is not None, f"{package} is not installed"
    assert spec.origin is not None, f"{package} is a namespace package"
    folder = Path(spec.origin).resolve().parent
    names = modules(folder, word)
    with contextlib.redirect_stdout(sys.stderr):
        failed = import_all(names)
        hijax = importlib.import_module("jax.experimental.hijax")
    bases = [getattr(hijax, name) for name in ("HiPrim", "VJPHiPrimitive") if hasattr(hijax, name)]
    classes = set()
    for found in {child for base in bases for child in below(base)}:
        file = getattr(sys.modules.get(found.__module__), "__file__", None)
        if file is not None and Path(file).resolve().is_relative_to(folder):
            classes.add((Path(file).resolve().relative_to(folder).as_posix(), found.__qualname__))
    imported = sorted(names.keys() - failed.keys())
    answer = {"package": str(folder), "classes": sorted(classes), "imported": imported, "failed": failed}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
    os._exit(0)  # threads that an import started must not keep this alive
