"""Which derivative rules a class has along its bases."""

from __future__ import annotations

from codemods.hijax.function import gives_nothing, is_stub
from codemods.project.members import MemberKind
from codemods.project.scope import dotted_name
from codemods.project.unit import ClassView, Found

FORWARD_HALF = "vjp_fwd"
BACKWARD_HALVES = ("vjp_bwd", "vjp_bwd_retval", "vjp_bwd_retval_logs")


def real(view: ClassView, name: str) -> Found | None:
    """The rule ``name`` of a class, unless it is a stub or only raises."""
    found = view.find(name)
    if found is None or found.method is None:
        return found
    is_none = is_stub(found.method) if name == "vjp_bwd" else gives_nothing(found.method)
    return None if is_none else found


def by_hand(view: ClassView, name: str) -> Found | None:
    """The rule ``name`` if it is written out, not derived from another rule (``jvp = jvp_from_lin``)."""
    found = real(view, name)
    if found is None or found.last.kind is MemberKind.PAIR:
        return None
    value = found.last.value
    text = dotted_name(value) if value is not None else None
    if text is not None and text.rpartition(".")[2] in ("jvp_from_lin", "linearize_from_jvp"):
        return None
    return found


def has_forward_rule(view: ClassView) -> bool:
    """Whether there is a ``jvp``, or ``lin`` with ``linearized``."""
    return real(view, "jvp") is not None or (real(view, "lin") is not None and real(view, "linearized") is not None)


def has_reverse_rule(view: ClassView) -> bool:
    """Whether any half of a reverse rule is defined, also one that only raises or is set from outside."""
    halves = (FORWARD_HALF, *BACKWARD_HALVES)
    return any(view.find(name) is not None or view.is_assigned_outside(name) for name in halves)


def has_both_halves(view: ClassView) -> bool:
    """Whether a class has ``vjp_fwd`` and a backward rule."""
    return view.find(FORWARD_HALF) is not None and any(view.find(name) is not None for name in BACKWARD_HALVES)


def is_abstract(view: ClassView) -> bool:
    """Whether the class cannot be a primitive of its own: it has no ``expand``."""
    return real(view, "expand") is None
