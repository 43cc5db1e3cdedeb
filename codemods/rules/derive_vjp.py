"""Derive the reverse rule from the ``jvp`` (or ``lin``) rule that is there.

A primitive with a ``jvp`` and no reverse rule raises ``NotImplementedError: for grad support, subclass … must implement
`vjp_fwd` …`` under ``jax.grad``. From jax 0.11.1 one line derives it: ``vjp_fwd, vjp_bwd_retval = vjp_from_jvp``, and
``vjp_from_lin`` where ``lin`` and ``linearized`` are written by hand. On 0.11.0 the halves have separate names; before
there is none, and a person must write the rule.

The line goes after the ``jvp`` of the class that defines it. ``vjp_from_jvp`` hands the rule symbolic zeros for
inputs that are not differentiated, with which plain arithmetic raises ``TypeError``; so a rule of more than one input
that does not treat ``Zero`` gets a first statement that instantiates them.

A ``jvp`` that only raises is no rule. A class that keeps any half of a reverse rule is left alone: a leftover
``vjp_bwd`` would silently win over the derived pair.
"""

from __future__ import annotations

import libcst as cst

from codemods.edits.bodies import class_level, first_statement
from codemods.edits.imports import Available, hijax_name, jax_name
from codemods.edits.migrate import home
from codemods.edits.ops import Insert, Op
from codemods.edits.rules_of import BACKWARD_HALVES, FORWARD_HALF, by_hand, has_both_halves, has_reverse_rule, real
from codemods.edits.tangents import instantiate_statement, may_see_zeros, tangent_count, tangent_parameters
from codemods.hijax.releases import Releases
from codemods.hijax.zeros import treats_zeros
from codemods.project.facts import ClassKey
from codemods.project.members import MemberDef, MemberKind
from codemods.project.scope import Scope, evaluate
from codemods.project.unit import ClassView, Found
from codemods.rules._base import Proposal, Rule
from codemods.rules._command import libcst_command
from codemods.types import Example, RuleMeta

_HALVES = {
    "vjp_from_jvp": ("vjp_fwd_from_jvp", "transpose_jvp"),
    "vjp_from_lin": ("vjp_fwd_from_lin", "transpose_linearized"),
}


class DeriveVjpRule(Rule):
    """HJX103."""

    META = RuleMeta("HJX103", "derive-vjp")

    def run(self) -> None:
        derived: set[ClassKey] = set()
        self.made: dict[ClassKey, list[Proposal]] = {}
        for view in sorted(self.unit.classes, key=lambda v: len(v.lineage)):
            if not view.is_primitive:
                continue
            if has_reverse_rule(view) and not self._only_refuses(view):
                self._half(view)
                continue
            name, found = _source(view)
            if found is None or any(ancestor.key in derived for ancestor in view.lineage[1:]):
                self._inherits(view, derived)
            elif self._derive(view, name, found):
                derived |= {view.key, found.owner.key}
        for group in {id(group): group for group in self.made.values()}.values():
            self.together(group)

    # Reports -----------------------------------------------------------------------------------------------------

    def _half(self, view: ClassView) -> None:
        has_forward = view.find(FORWARD_HALF) is not None
        has_backward = any(view.find(name) is not None for name in BACKWARD_HALVES)
        own = any(view.own(name) for name in (FORWARD_HALF, *BACKWARD_HALVES))
        forward_rule = _source(view)[1] is not None
        if view.unknown_bases or not own or has_forward == has_backward or not (has_forward or forward_rule):
            return
        if any(has_both_halves(heir) for heir in view.descendants):
            return  # a base that the classes below it complete
        have, lack = ("vjp_fwd", "backward rule") if has_forward else ("a backward rule", "`vjp_fwd`")
        self._manual(view, "half-a-reverse-rule", f"has `{have.strip('`')}` but no {lack}", "write the other half")

    def _only_refuses(self, view: ClassView) -> bool:
        """Whether the reverse rule that is there only raises, in a base, and a derived pair would come before it."""
        halves = [name for name in (FORWARD_HALF, *BACKWARD_HALVES) if view.find(name) is not None]
        if not halves or any(view.is_assigned_outside(name) for name in (FORWARD_HALF, *BACKWARD_HALVES)):
            return False
        if any(real(view, name) is not None for name in halves) or _source(view)[1] is None:
            return False
        is_hidden = not any(view.own(name) for name in halves) and "vjp_bwd" not in halves
        if not is_hidden:
            help_text = "delete the methods that only raise, then run again"
            self._manual(view, "reverse-rule-raises", "has a forward rule, but its reverse rule only raises", help_text)
        return is_hidden

    def _manual(self, view: ClassView, reason: str, message: str, help_text: str) -> None:
        self.manual(view.node, view.qualname, reason, message, help_text)

    # Decisions ---------------------------------------------------------------------------------------------------

    def _inherits(self, view: ClassView, derived: set[ClassKey]) -> None:
        """A class below one that gets the pair: its own ``jvp`` sees symbolic zeros too."""
        if not any(ancestor.key in derived for ancestor in view.lineage[1:]):
            return
        derived.add(view.key)
        name, found = _source(view)
        if found is None or found.owner is not view:
            return
        ops = self._zero_ops(view, name, found)
        if ops:
            message = f"`{name}` instantiates symbolic zero tangents, which the derived rule hands to it"
            proposal = self.proposal(found.last.node, f"{view.qualname}.{name}", message, ops)
            above = next(a.key for a in view.lineage[1:] if a.key in self.made)
            self.made[view.key] = self.made[above]
            self.made[above].append(proposal)

    def _derive(self, view: ClassView, name: str, found: Found) -> bool:
        pair = "vjp_from_jvp" if name == "jvp" else "vjp_from_lin"
        problem = self._problem(view, found, pair)
        if problem is not None:
            self._manual(view, *problem)
            return False
        scope = _class_scope(found.owner)
        names = self._pair_names(pair, self.context.releases)
        base = home(found.owner, [view])
        spelled = [hijax_name(n, base, scope, self.context.releases) for n in names]
        zero_ops = self._zero_ops(view, name, found)
        if zero_ops is None or any(s is None for s in spelled):
            help_text = f"import {', '.join(names)} from jax.experimental.hijax, then run again"
            self._manual(view, "no-import", "the derived rule cannot be imported where hijax is imported", help_text)
            return False
        ops = [*zero_ops, *self._pair_ops(found, [s for s in spelled if s is not None])]
        target = f"{found.owner.qualname}.{name}"
        message = f"has `{name}` and no reverse rule: derived with `{names[0]}`"
        if zero_ops:
            message += "; symbolic zero tangents are instantiated first"
        group = [self.proposal(found.last.node, target, message, ops)]
        self.made[view.key] = self.made[found.owner.key] = group
        return True

    def _problem(self, view: ClassView, found: Found, pair: str) -> tuple[str, str, str] | None:
        releases = self.context.releases
        if view.unknown_bases:
            base = view.unknown_bases[0]
            return (
                "unknown-base",
                f"has a forward rule; whether the base `{base}` brings a reverse rule cannot be told",
                f"if `{base}` brings none, add `vjp_fwd, vjp_bwd_retval = {pair}`",
            )
        if not releases.all_have(pair) and not all(releases.all_have(half) for half in _HALVES[pair]):
            lacking = ", ".join(releases.without(pair)[:3])
            return (
                "needs-jax-0.11",
                f"`{pair}` exists from jax 0.11.1 on, but the code must also run on {lacking}",
                "write `vjp_fwd` and `vjp_bwd_retval` by hand, or raise the lowest jax release",
            )
        block = found.owner.node.body
        if any(m.block is not block for m in found.members) or not isinstance(block, cst.IndentedBlock):
            return "unclear-jvp", "its forward rule is defined in a branch", f"add `{pair}` by hand"
        if self._function(found.last, found.owner) is None:
            return (
                "unclear-jvp",
                "its forward rule is no function of its own that could be looked into",
                f"define it with `def`, or add `vjp_fwd, vjp_bwd_retval = {pair}` by hand",
            )
        hidden = self._hides(found.owner)
        if hidden is not None:
            return hidden
        if not found.owner.is_primitive and not _all_lack_reverse(found.owner):
            return (
                "jvp-in-mixin",
                f"its forward rule comes from `{found.owner.qualname}`, which other classes use as well",
                f"add `vjp_fwd, vjp_bwd_retval = {pair}` to the classes that need it",
            )
        return None

    def _hides(self, owner: ClassView) -> tuple[str, str, str] | None:
        """A class below that has a reverse rule which the pair would come before, or stand beside."""
        for heir in owner.descendants:
            for half in (FORWARD_HALF, *BACKWARD_HALVES):
                found = heir.find(half)
                if found is None:
                    continue
                is_behind = heir.lineage.index(found.owner) > heir.lineage.index(owner)
                # Up to jax 0.11.1 a class may not have both backward rules.
                is_beside = half == "vjp_bwd" and not self.context.releases.all_have("HiPrim")
                if is_behind or is_beside:
                    message = (
                        f"a derived pair would change `{heir.qualname}`, which has `{found.owner.qualname}.{half}`"
                    )
                    return "hides-a-rule", message, "write the reverse rule by hand where it is wanted"
        return None

    # Edits -------------------------------------------------------------------------------------------------------

    @staticmethod
    def _pair_names(pair: str, releases: Releases) -> tuple[str, ...]:
        return (pair,) if releases.all_have(pair) else _HALVES[pair]

    @staticmethod
    def _pair_ops(found: Found, spelled: list[Available]) -> list[Op]:
        block, member = found.owner.node.body, found.last
        assert isinstance(block, cst.IndentedBlock)
        halves = ("vjp_fwd", "vjp_bwd_retval")
        ops: list[Op] = [op for name in spelled for op in name.ops]
        if len(spelled) == 1:
            target = cst.AssignTarget(cst.Tuple([cst.Element(cst.Name(h)) for h in halves], lpar=[], rpar=[]))
            pair = class_level(block, member.line, cst.Assign([target], spelled[0].expression))
            return [*ops, Insert(member.line, pair, "derived pair")]
        for position, (half, name) in enumerate(zip(halves, spelled, strict=True)):
            assign = cst.Assign([cst.AssignTarget(cst.Name(half))], name.expression)
            after = member.line if position == 0 else member.node
            ops.append(Insert(member.line, class_level(block, after if position == 0 else block, assign), half))
        return ops

    def _zero_ops(self, view: ClassView, name: str, found: Found) -> list[Op] | None:
        """The edits that make a rule instantiate symbolic zeros; None where they cannot be made."""
        function = self._function(found.last, found.owner)
        if function is None:
            return None
        users = [c for c in (found.owner, *found.owner.descendants) if c.is_primitive] or [view]
        names = found.owner.module.names_in(function, view)
        counts = {tangent_count(c, function, name) for c in users}
        count = next(iter(counts)) if len(counts) == 1 else None
        if treats_zeros(function, names, count) or not any(may_see_zeros(c, function, name) for c in users):
            return []
        tangents = tangent_parameters(function, name)
        if tangents is None:
            return None
        scope = found.owner.module.scanned.function_scopes[function]
        releases = self.context.releases
        view = home(found.owner, users)
        jax = jax_name(view, scope, releases, at_start=True)
        instantiate = hijax_name("instantiate_zeros", view, scope, releases, at_start=True)
        zero = hijax_name("Zero", view, scope, releases, at_start=True)
        if jax is None or instantiate is None or zero is None:
            return None
        statement = instantiate_statement(tangents, jax.expression, instantiate.expression, zero.expression)
        block = found.last.block
        indent = block.indent if isinstance(block, cst.IndentedBlock) else None
        return [*jax.ops, *zero.ops, *instantiate.ops, first_statement(function, statement, indent)]

    def _function(self, member: MemberDef, owner: ClassView) -> cst.FunctionDef | None:
        if member.function is not None:
            return member.function
        if member.kind is not MemberKind.VALUE or not isinstance(member.value, cst.Name):
            return None
        module = owner.module
        function = module.function_of(evaluate(member.value, owner.scanned.body_scope))
        return function if function and module.name_counts.get(member.value.value) == 2 else None


def _source(view: ClassView) -> tuple[str, Found | None]:
    """The hand-written forward rule to derive from: ``jvp``, or ``linearized`` where ``lin`` is there too."""
    jvp = by_hand(view, "jvp")
    if jvp is not None:
        return "jvp", jvp
    linearized = by_hand(view, "linearized")
    has_lin = by_hand(view, "lin") is not None and linearized is not None
    return "linearized", linearized if has_lin else None


def _all_lack_reverse(mixin: ClassView) -> bool:
    heirs = [heir for heir in mixin.descendants if real(heir, "expand") is not None or heir.is_primitive]
    return all(heir.is_primitive and not has_reverse_rule(heir) for heir in heirs)


def _class_scope(view: ClassView) -> Scope:
    """What a statement in the class body sees when it runs."""
    return Scope("class", view.scanned.scope, view.key.index, view.scanned.body_scope.env)


RULE = DeriveVjpRule
__getattr__ = libcst_command(RULE)

EXAMPLES = (
    Example(
        "a product rule with two inputs",
        """\
import jax
from jax.experimental.hijax import HiPrim


class Mul(HiPrim):
    def expand(self, x, y):
        return x * y

    def jvp(self, primals, tangents):
        (x, y), (dx, dy) = primals, tangents
        return self(x, y), dx * y + x * dy
""",
        """\
import jax
from jax.experimental.hijax import HiPrim, Zero, instantiate_zeros, vjp_from_jvp


class Mul(HiPrim):
    def expand(self, x, y):
        return x * y

    def jvp(self, primals, tangents):
        tangents = jax.tree.map(instantiate_zeros, tangents, is_leaf=lambda t: isinstance(t, Zero))
        (x, y), (dx, dy) = primals, tangents
        return self(x, y), dx * y + x * dy

    vjp_fwd, vjp_bwd_retval = vjp_from_jvp
""",
    ),
    Example(
        "one input never sees a symbolic zero",
        """\
from jax.experimental import hijax


class Sin(hijax.HiPrim):
    def jvp(self, primals, tangents):
        (x,), (dx,) = primals, tangents
        return self(x), self.cos(x) * dx
""",
        """\
from jax.experimental import hijax


class Sin(hijax.HiPrim):
    def jvp(self, primals, tangents):
        (x,), (dx,) = primals, tangents
        return self(x), self.cos(x) * dx

    vjp_fwd, vjp_bwd_retval = hijax.vjp_from_jvp
""",
    ),
    Example(
        "a jvp that only raises is no rule",
        """\
from jax.experimental.hijax import HiPrim


class Table(HiPrim):
    def jvp(self, primals, tangents):
        raise NotImplementedError("a table lookup has no derivative")
""",
        None,
    ),
    Example(
        "a reverse rule is there",
        """\
from jax.experimental.hijax import HiPrim


class Scale(HiPrim):
    def jvp(self, primals, tangents):
        return self(*primals), 2 * tangents[0]

    def vjp_fwd(self, nzs_in, x):
        return self(x), None

    def vjp_bwd_retval(self, res, g):
        return (2 * g,)
""",
        None,
    ),
)
