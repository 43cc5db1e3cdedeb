"""One file, one rule. A rule is found because its module is in this folder; there is no list to keep."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from functools import cache
from typing import TYPE_CHECKING

from codemods.types import RuleDoc

if TYPE_CHECKING:
    from codemods.rules._base import Rule


@cache
def rule_classes() -> tuple[type[Rule], ...]:
    """Every rule, by code."""
    found: list[type[Rule]] = []
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{__name__}.{info.name}")
        found.append(module.RULE)
    return tuple(sorted(found, key=lambda rule: rule.META.code))


@cache
def rule_docs() -> tuple[RuleDoc, ...]:
    """What each rule says of itself, by code: the summary is the first line of its module's docstring."""
    docs: list[RuleDoc] = []
    for rule in rule_classes():
        module = importlib.import_module(rule.__module__)
        summary, _, explanation = inspect.cleandoc(module.__doc__ or "").partition("\n")
        docs.append(RuleDoc(rule.META, summary, explanation.strip(), module.EXAMPLES))
    return tuple(docs)
