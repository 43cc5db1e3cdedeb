"""From facts to verdicts: which classes are primitives, what their method resolution order is.

This is the seam for more than one file: a ``SYMBOL`` that leads into the project is looked up through
``ModuleFacts.exports``. One module alone cannot follow it, so its class is UNKNOWN, with the base that was not found.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codemods.hijax.roots import is_certainly_other, is_root
from codemods.project.facts import ClassFact, ModuleFacts, Ref, RefKind, Refs, Verdict


@dataclass(frozen=True)
class ResolvedClass:
    """A class with its place in the hierarchy.

    ``lineage`` numbers the classes of this module in method resolution order, itself first. ``unknown_bases`` are the
    bases, its own or inherited, that could not be found: then ``lineage`` may lack classes. ``roots`` are the
    references by which jax's base class was reached.
    """

    index: int
    verdict: Verdict
    lineage: tuple[int, ...]
    unknown_bases: tuple[str, ...]
    roots: tuple[Ref, ...]
    descendants: frozenset[int] = field(default_factory=frozenset)

    @property
    def is_primitive(self) -> bool:
        return self.verdict is Verdict.PRIMITIVE


def resolve(facts: ModuleFacts) -> tuple[ResolvedClass, ...]:
    """The verdict of each class of a module, in its order."""
    resolver = _Resolver(facts.classes)
    found = [resolver.resolve(fact.index) for fact in facts.classes]
    below: dict[int, set[int]] = {fact.index: set() for fact in facts.classes}
    for one in found:
        for ancestor in one.lineage[1:]:
            below[ancestor].add(one.index)
    return tuple(
        ResolvedClass(c.index, c.verdict, c.lineage, c.unknown_bases, c.roots, frozenset(below[c.index])) for c in found
    )


class _Resolver:
    def __init__(self, classes: tuple[ClassFact, ...]) -> None:
        self.classes = classes
        self.done: dict[int, ResolvedClass] = {}
        self.active: set[int] = set()

    def resolve(self, index: int) -> ResolvedClass:
        if index in self.done:
            return self.done[index]
        if index in self.active:  # a class that names itself as its base through a later rebinding
            return ResolvedClass(index, Verdict.UNKNOWN, (index,), (self.classes[index].qualname,), ())
        self.active.add(index)
        fact = self.classes[index]
        verdict, unknown, roots, parents = Verdict.OTHER, list[str](), list[Ref](), list[tuple[int, ...]]()
        for refs, text in zip(fact.bases, fact.base_texts, strict=True):
            base_verdict, base_roots = self._base(refs)
            roots += base_roots
            verdict = _strongest(verdict, base_verdict)
            locals_ = [ref.index for ref in refs if ref.kind is RefKind.CLASS]
            for number in locals_:
                base = self.resolve(number)
                roots += base.roots
                unknown += [name for name in base.unknown_bases if name not in unknown]
            if base_verdict is Verdict.UNKNOWN and not locals_:
                unknown.append(text)
            if len(locals_) == 1:
                parents.append(self.resolve(locals_[0]).lineage)
            elif locals_:  # depends on the branch that ran
                unknown.append(text)
                parents.append(tuple(dict.fromkeys(n for i in locals_ for n in self.resolve(i).lineage)))
        self.active.discard(index)
        lineage = (index, *_c3([*parents, tuple(p[0] for p in parents)]))
        self.done[index] = ResolvedClass(index, verdict, lineage, tuple(unknown), tuple(dict.fromkeys(roots)))
        return self.done[index]

    def _base(self, refs: Refs) -> tuple[Verdict, list[Ref]]:
        verdict = Verdict.OTHER
        roots: list[Ref] = []
        for ref in sorted(refs, key=repr):
            if ref.kind is RefKind.SYMBOL and is_root(ref.name):
                roots.append(ref)
            verdict = _strongest(verdict, self._one(ref))
        return verdict, roots

    def _one(self, ref: Ref) -> Verdict:
        if ref.kind is RefKind.CLASS:
            return self.resolve(ref.index).verdict
        if ref.kind is RefKind.SYMBOL:
            if is_root(ref.name):
                return Verdict.PRIMITIVE
            return Verdict.OTHER if is_certainly_other(ref.name) else Verdict.UNKNOWN
        return Verdict.UNKNOWN if ref.kind is RefKind.UNKNOWN else Verdict.OTHER


_ORDER = (Verdict.OTHER, Verdict.UNKNOWN, Verdict.PRIMITIVE)


def _strongest(left: Verdict, right: Verdict) -> Verdict:
    return max(left, right, key=_ORDER.index)


def _c3(sequences: list[tuple[int, ...]]) -> list[int]:
    """C3 linearization; where none exists (Python would raise), the order in which the classes are met."""
    rest = [list(s) for s in sequences if s]
    out: list[int] = []
    while rest:
        head = next((s[0] for s in rest if not any(s[0] in other[1:] for other in rest)), rest[0][0])
        out.append(head)
        rest = [[n for n in s if n != head] for s in rest]
        rest = [s for s in rest if s]
    return out
