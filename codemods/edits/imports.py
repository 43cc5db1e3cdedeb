"""Make a hijax name or ``jax`` itself available where a change needs it, in the form in which the file imports hijax.

A new name goes into the import statement through which the class found its base: the same ``from … import`` list, the
same module alias, the same function, the same branch of a ``try`` or version test. Nothing is added at the top of the
file and nothing is moved.
"""

from __future__ import annotations

from bisect import bisect
from dataclasses import dataclass

import libcst as cst

from codemods.edits.build import dotted
from codemods.edits.ops import Insert, NodeEdit, Op, Replace
from codemods.hijax.releases import NAMES, Releases
from codemods.hijax.roots import BASE_NAMES, MODULES, PUBLIC_MODULE
from codemods.project.facts import Ref, RefKind, Refs
from codemods.project.scan import ImportSite
from codemods.project.scope import Scope, dotted_name
from codemods.project.unit import ClassView


@dataclass(frozen=True)
class Available:
    """How to write a name at the place that asked for it, and the import edits that make it right."""

    expression: cst.Name | cst.Attribute
    ops: tuple[Op, ...] = ()


def hijax_name(
    name: str, view: ClassView, scope: Scope, releases: Releases, *, at_start: bool = False
) -> Available | None:
    """A public hijax name, readable in ``scope``; None where no import statement can carry it.

    Args:
      view: the primitive class for which it is needed: its base says which import statement is extended.
      scope: the scope in which the name is read, as it is when it is read.
      releases: the releases that the code must run on; they decide between the branches of a version test.
      at_start: it is read before anything that the scope binds itself.
    """
    wanted = {f"{module}.{name}" for module in MODULES} | {f"jax.interpreters.ad.{name}"}
    spelled = _bound_to(wanted, scope, at_start)
    if spelled is not None:
        return Available(cst.Name(spelled))
    if name not in scope.env and _is(scope.lookup(name), wanted):
        return Available(cst.Name(name))  # through a star import
    sites = _root_sites(view, releases)
    if not sites or not all(_is_visible(site, scope) for site in sites):
        return None
    modules = {_spelled_module(site, scope) for site in sites}
    module = next(iter(modules)) if len(modules) == 1 else None
    if module is not None:
        return Available(cst.Attribute(dotted(module), cst.Name(name)))
    if _is_taken(name, scope):
        return None
    ops = [_import_of(name, site) for site in sites]
    made = tuple(op for op in ops if op is not None)
    return Available(cst.Name(name), made) if len(made) == len(ops) else None


def _import_of(name: str, site: ImportSite) -> Op | None:
    """The edit that imports a name beside the base class."""
    if isinstance(site.node, cst.ImportFrom) and _module_of(site.node) == PUBLIC_MODULE:
        return Replace(site.node, _adds(name))
    statement = cst.ImportFrom(dotted(PUBLIC_MODULE), [cst.ImportAlias(cst.Name(name))])
    return _new_line(site, statement, f"from {PUBLIC_MODULE} import {name}", after=True)


def jax_name(view: ClassView, scope: Scope, releases: Releases, *, at_start: bool = False) -> Available | None:
    """The ``jax`` package, readable in ``scope``; None where no import statement can stand beside that of hijax."""
    spelled = _bound_to({"jax"}, scope, at_start)
    if spelled is not None:
        return Available(cst.Name(spelled))
    sites = _root_sites(view, releases)
    if not sites or _is_taken("jax", scope) or not all(_is_visible(site, scope) for site in sites):
        return None
    statement = cst.Import([cst.ImportAlias(cst.Name("jax"))])
    lines = [_new_line(site, statement, "import jax", after=False) for site in sites]
    made = tuple(line for line in lines if line is not None)
    return Available(cst.Name("jax"), made) if len(made) == len(lines) else None


def _is(refs: Refs | None, wanted: set[str]) -> bool:
    return bool(refs) and all(ref.kind is RefKind.SYMBOL and ref.name in wanted for ref in refs or ())


def _bound_to(wanted: set[str], scope: Scope, at_start: bool = False) -> str | None:
    """A visible name that certainly refers to one of ``wanted``; ``at_start``: not one that the scope itself binds."""
    inner: Scope | None = scope
    while inner is not None:
        for name in inner.env:
            if _is(scope.lookup(name), wanted) and not (at_start and name in scope.env):
                return name
        inner = inner.parent
    return None


def _is_taken(name: str, scope: Scope) -> bool:
    refs = scope.lookup(name)
    return refs is not None and not _is(refs, {f"builtins.{name}"})


def _is_visible(site: ImportSite, read_in: Scope) -> bool:
    """Whether what an import statement binds can be read in a scope, and is bound by then."""
    bound_in = site.scope
    inner: Scope | None = read_in
    while inner is not None:
        if inner.kind == bound_in.kind and inner.function is bound_in.function:
            is_same_class = inner is read_in and inner.class_index == bound_in.class_index
            if bound_in.kind != "class" or is_same_class:
                # In a class body the scopes are snapshots of when the class statement ran.
                return read_in.kind != "class" or any(name in inner.env for name in _names_bound(site.node))
        inner = inner.parent
    return False


def _names_bound(node: cst.Import | cst.ImportFrom) -> list[str]:
    if isinstance(node.names, cst.ImportStar):
        return list(BASE_NAMES)
    return [alias.evaluated_alias or alias.evaluated_name.partition(".")[0] for alias in node.names]


def _root_sites(view: ClassView, releases: Releases) -> list[ImportSite]:
    """The import statements through which jax's base class was reached, one a branch; those that the releases take.

    None at all where some branch has another base: what is imported beside the others would be missing there.
    """
    sites = set(view.resolved.sites)
    others = (RefKind.OTHER, RefKind.UNKNOWN, RefKind.CLASS)
    if any(refs & sites and any(_is_fallback(ref, others) for ref in refs) for refs in view.scanned.fact.bases):
        return []
    roots = [ref for ref in view.resolved.sites if ref.origin >= 0]
    best = [ref for ref in roots if _base_name_on_all(ref, releases)]
    imports = view.module.scanned.imports
    return [imports[origin] for origin in sorted({ref.origin for ref in best or roots})]


def _is_fallback(ref: Ref, kinds: tuple[RefKind, ...]) -> bool:
    """A base that is taken where jax's class is missing: `object`, `None`, a class of the file."""
    return ref.kind in kinds or (ref.kind is RefKind.SYMBOL and ref.name.startswith("builtins."))


def _base_name_on_all(ref: Ref, releases: Releases) -> bool:
    name = ref.name.rpartition(".")[2]
    return name in NAMES and releases.all_have(name)


def _module_of(node: cst.ImportFrom) -> str | None:
    return dotted_name(node.module) if node.module is not None and not node.relative else None


def _spelled_module(site: ImportSite, scope: Scope) -> str | None:
    """How the hijax module is spelled, if the base is an attribute of it: ``hijax``, ``hjx`` or the dotted name."""
    if isinstance(site.node, cst.ImportFrom) and _module_of(site.node) in MODULES:
        return None
    spelled = _bound_to({PUBLIC_MODULE}, scope)
    if spelled is not None:
        return spelled
    if isinstance(site.node, cst.Import):
        for alias in site.node.names:
            if alias.asname is None and dotted_name(alias.name) == PUBLIC_MODULE:
                return PUBLIC_MODULE
    return None


def _new_line(site: ImportSite, statement: cst.BaseSmallStatement, key: str, after: bool) -> Insert | None:
    """A statement line beside the import, if that stands alone on its line."""
    if not isinstance(site.line, cst.SimpleStatementLine) or len(site.line.body) != 1:
        return None
    newline = site.line.trailing_whitespace.newline
    made = cst.SimpleStatementLine([statement], trailing_whitespace=cst.TrailingWhitespace(newline=newline))
    return Insert(site.line, made, key, after)


def _adds(name: str) -> NodeEdit:
    return lambda node: add_alias(node, name)


def _sort_key(name: str) -> tuple[int, str]:
    # The order of isort and ruff: constants, classes, the rest.
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name


def add_alias(node: cst.CSTNode, name: str) -> cst.CSTNode:
    """``from m import A`` with ``name`` added, in order if the list is in order, in the layout that the list has."""
    if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
        return node
    aliases = list(node.names)
    if name in [alias.evaluated_alias or alias.evaluated_name for alias in aliases]:
        return node
    present = [alias.evaluated_name for alias in aliases]
    keys = [_sort_key(n) for n in present]
    at = bisect(keys, _sort_key(name)) if keys == sorted(keys) else len(aliases)
    is_last = at == len(aliases)
    last = aliases[-1]
    open_end = not isinstance(last.comma, cst.Comma)
    if is_last and open_end and node.rpar is not None and _has_comment(node.rpar.whitespace_before):
        at, is_last = len(aliases) - 1, False  # the comment behind the last name stays behind it
    added = cst.ImportAlias(cst.Name(name))
    if not is_last:
        added = added.with_changes(comma=_plain(_separator(aliases, node)))
    elif open_end:
        aliases[-1] = last.with_changes(comma=_plain(_separator(aliases, node)))
    else:
        added = added.with_changes(comma=_plain(last.comma))
        aliases[-1] = last.with_changes(comma=_with_indent(last.comma, _separator(aliases, node)))
    aliases.insert(at, added)
    return node.with_changes(names=aliases)


def _separator(aliases: list[cst.ImportAlias], node: cst.ImportFrom) -> cst.Comma:
    """The comma that stands between two names of this list: with a line break only if all of them have one."""
    commas = [alias.comma for alias in aliases[:-1] if isinstance(alias.comma, cst.Comma)]
    if commas and all(isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace) for comma in commas):
        return commas[0]
    if not commas and node.lpar is not None and isinstance(node.lpar.whitespace_after, cst.ParenthesizedWhitespace):
        return cst.Comma(whitespace_after=node.lpar.whitespace_after)
    plain = [comma for comma in commas if isinstance(comma.whitespace_after, cst.SimpleWhitespace)]
    return plain[0] if plain else cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _has_comment(space: cst.BaseParenthesizableWhitespace) -> bool:
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return False
    return space.first_line.comment is not None or any(line.comment is not None for line in space.empty_lines)


def _plain(comma: cst.Comma | cst.MaybeSentinel) -> cst.Comma:
    """The comma with its line break but without the comments that belong to another name."""
    if not isinstance(comma, cst.Comma):
        return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    space = comma.whitespace_after
    if isinstance(space, cst.ParenthesizedWhitespace):
        first = cst.TrailingWhitespace(newline=space.first_line.newline)
        space = space.with_changes(first_line=first, empty_lines=[])
    return comma.with_changes(whitespace_before=cst.SimpleWhitespace(""), whitespace_after=space)


def _with_indent(comma: cst.Comma | cst.MaybeSentinel, model: cst.Comma) -> cst.Comma:
    """A comma that was the last one, now followed by a name: its comment stays, its next line is indented."""
    space = comma.whitespace_after if isinstance(comma, cst.Comma) else None
    wanted = model.whitespace_after
    if not isinstance(comma, cst.Comma) or not isinstance(space, cst.ParenthesizedWhitespace):
        return _plain(model)
    if isinstance(wanted, cst.ParenthesizedWhitespace):
        moved = space.with_changes(indent=wanted.indent, last_line=wanted.last_line)
        return comma.with_changes(whitespace_after=moved)
    if not _has_comment(space):
        return _plain(model)
    return comma.with_changes(whitespace_after=space.with_changes(last_line=cst.SimpleWhitespace("    ")))
