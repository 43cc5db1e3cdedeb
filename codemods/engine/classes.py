"""What ``hijax-codemods classes`` lists: the primitive classes of a project, and those that may be some."""

from __future__ import annotations

import re
from functools import cache

import libcst as cst

from codemods.edits.definitions import read_definitions
from codemods.engine.parsed import Parsed
from codemods.engine.positions import Positions, Span
from codemods.engine.units import Project
from codemods.hijax.backward import BwdForm
from codemods.hijax.roots import BASE_NAMES, RULE_NAMES
from codemods.project.discover import shown
from codemods.project.facts import ClassKey, Verdict
from codemods.project.resolve import ResolvedClass
from codemods.project.unit import ClassView, Unit
from codemods.types import ClassPlace, FoundClass

_LOOKS_LIKE_ONE = re.compile(r"Prim(itive)?s?(?![a-z])")
"""``HiPrim``, ``QuantPrim``, ``VJPHiPrimitive``, ``PrimBase``; not ``Primary``."""


def find_classes(project: Project) -> tuple[FoundClass, ...]:
    """The classes of the files that may be changed, by path and line; jax's base class itself is none of them."""
    relevant = [resolved for resolved in _resolve_all(project) if _is_listed(project, resolved)]
    # Not all that was parsed: what a rule does is read with every module of its unit.
    paths = {key.path for resolved in relevant for key in resolved.lineage}
    parsed = {path: file for path in paths if isinstance(file := project.parse(path), Parsed)}
    unit = Unit([file.scanned for file in parsed.values()], project.resolver, project.shown)
    lister = _Lister(project, parsed)
    views = [unit.view(resolved.key) for resolved in relevant if resolved.key.path in project.shown]
    found = [lister.describe(view) for view in views if view is not None]
    return tuple(sorted(found, key=lambda c: (c.path, c.line, c.column)))


def _resolve_all(project: Project) -> list[ResolvedClass]:
    """Every class of the candidates, and of the modules that their bases lead to."""
    project.candidates()
    found: dict[ClassKey, ResolvedClass] = {}
    while True:
        keys = [ClassKey(path, fact.index) for path, facts in project.all_facts().items() for fact in facts.classes]
        new = {key: project.resolver.resolve(key) for key in keys if key not in found}
        if not new:
            return list(found.values())
        found |= new


def _is_listed(project: Project, resolved: ResolvedClass) -> bool:
    """Whether a class is a primitive, or may be one and has something that says so."""
    if resolved.verdict is Verdict.OTHER or project.resolver.is_root_class(resolved.key):
        return False
    if resolved.is_primitive or project.has_rules(resolved.lineage):
        return True
    return any(_LOOKS_LIKE_ONE.search(base) for base in resolved.unknown_bases)


class _Lister:
    def __init__(self, project: Project, parsed: dict[str, Parsed]) -> None:
        self.project = project
        self.parsed = parsed
        self._positions = cache(self._positions_of)

    def describe(self, view: ClassView) -> FoundClass:
        span = self._span(view, view.node)
        rules = tuple((name, self._place(owner, node)) for name, owner, node in self._origins(view))
        return FoundClass(
            self._shown(view),
            span.line,
            span.column,
            view.qualname,
            view.is_primitive,
            self._chain(view),
            rules,
            _bwd_style(view) if any(name == "vjp_bwd" for name, _ in rules) else None,
            view.unknown_bases,
        )

    def _chain(self, view: ClassView) -> tuple[ClassPlace, ...]:
        on_the_way = [base for base in view.lineage[1:] if base.resolved.verdict is view.resolved.verdict]
        chain = [self._place(base, base.node) for base in on_the_way]
        if view.is_primitive:
            chain.append(ClassPlace(_root_name(on_the_way[-1] if on_the_way else view)))
        return tuple(chain)

    def _origins(self, view: ClassView) -> list[tuple[str, ClassView, cst.CSTNode]]:
        """The rules of a class, each with the class and the node that it comes from."""
        found = []
        for name in RULE_NAMES:
            for owner in view.lineage:
                nodes = [member.node for member in owner.own(name)]
                nodes += [node for attr, node in owner.scanned.outside if attr == name]
                if nodes:
                    found.append((name, owner, nodes[-1]))
                    break
        return found

    def _place(self, view: ClassView, node: cst.CSTNode) -> ClassPlace:
        return ClassPlace(view.qualname, self._shown(view), self._span(view, node).line)

    def _shown(self, view: ClassView) -> str:
        path = view.key.path
        return self.project.shown[path] if path in self.project.shown else shown(path)

    def _span(self, view: ClassView, node: cst.CSTNode) -> Span:
        return self._positions(view.key.path).span(node)

    def _positions_of(self, path: str) -> Positions:
        return Positions(self.parsed[path].scanned.module, self.parsed[path].lines)


def _root_name(view: ClassView) -> str:
    """jax's base class as the last class before it spells it, if it does so by name."""
    spelled = [text.rpartition(".")[2] for text in view.scanned.fact.base_texts]
    return next((name for name in spelled if name in BASE_NAMES), BASE_NAMES[0])


def _bwd_style(view: ClassView) -> str:
    found = view.find("vjp_bwd")
    # One that is assigned from outside is no definition; of several in branches, which one counts cannot be told.
    forms = {definition.form for definition in read_definitions(found.owner)} if found is not None else set()
    return (forms.pop() if len(forms) == 1 else BwdForm.UNCLEAR).value
