"""No region is read before it is written: tracked as "all members" with named exceptions, never a list.

A form's effect on a region at a role is to write it (True), to lose it (False: a combine leaves a subtotal),
or to keep it (None).  Effects compose, and meet where either of two may have happened, so that a loop is
walked once whatever its count: it begins with what holds both before it and after its own body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from ...system.forms import Choice, Combine, Deliver, Everyone, Local, Repeat, Transfer
from .learned import Every
from .node import Node
from .scope import Scope

Held = bool | None


@dataclass(frozen=True)
class Spread:
    """One region's effect at all members but the named exceptions."""

    everywhere: Held = None
    exceptions: dict[int, Held] = field(default_factory=dict)

    def at(self, role: int) -> Held:
        """The effect at one role."""
        return self.exceptions.get(role, self.everywhere)

    def only_written(self) -> Spread:
        """The same without what is lost."""
        held = {role: True if effect else None for role, effect in self.exceptions.items()}
        return Spread(True if self.everywhere else None, held)

    def with_(self, other: Spread, rule: Callable[[Held, Held], Held]) -> Spread:
        """Both, joined at every role by a rule."""
        roles = self.exceptions.keys() | other.exceptions.keys()
        everywhere = rule(self.everywhere, other.everywhere)
        exceptions = {role: rule(self.at(role), other.at(role)) for role in roles}
        return Spread(everywhere, exceptions)


Effect = dict[str, Spread]


def part_of(region: str) -> str:
    """Under which name a member's own part of a region of a mesh is tracked beside the whole."""
    return f"part of {region}"


_KEPT = Spread()
_ALL = Spread(True)


def _after(first: Held, second: Held) -> Held:
    return first if second is None else second


def _either(one: Held, other: Held) -> Held:
    """What surely holds whichever happened: losing wins, then keeping."""
    if one is False or other is False:
        return False
    return None if one is None or other is None else True


def _join(one: Effect, other: Effect, rule: Callable[[Held, Held], Held]) -> Effect:
    names = one.keys() | other.keys()
    return {name: one.get(name, _KEPT).with_(other.get(name, _KEPT), rule) for name in names}


class Written:
    """Walks the nodes with the state so far and notes each read of what is not written."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._effects: dict[int, Effect] = {}  # by the identity of a loop's node: its body's effect

    def check(self, nodes: tuple[Node, ...]) -> None:
        """Failures go to the scope; regions with `initial=` are written from the start."""
        regions = self._scope.regions.items()
        state = {name: Spread(region.initial is not None) for name, region in regions}
        self._run(nodes, self._with_parts(state))

    def _run(self, nodes: Iterable[Node], state: Effect) -> Effect:
        for node in nodes:
            for region, roles in self._reads(node).items():
                self._note(node, region, roles, state)
            state = self._enter(node, state)
        return state

    def _enter(self, node: Node, state: Effect) -> Effect:
        match node.form:
            case Repeat(count=0):
                return state
            case Repeat(count=1):
                return self._run(node.parts, state)
            case Repeat() | Every():
                before = _join(state, _join(state, self._effect(node.parts), _after), _either)
                return self._run(node.parts, before)
            case Choice():
                state = _join(state, self._own_effect(node), _after)
                return _join(self._run(node.parts, state), self._run(node.otherwise, state), _either)
            case _:
                return _join(state, self._own_effect(node), _after)

    def _effect(self, nodes: Iterable[Node]) -> Effect:
        """What some forms do, whatever held before."""
        total: Effect = {}
        for node in nodes:
            total = _join(total, self._whole_effect(node), _after)
        return total

    def _whole_effect(self, node: Node) -> Effect:
        if id(node) not in self._effects:
            self._effects[id(node)] = self._compute(node)
        return self._effects[id(node)]

    def _compute(self, node: Node) -> Effect:
        match node.form:
            case Repeat(count=0):
                return {}
            case Repeat() | Every():
                return self._effect(node.parts)
            case Choice():
                arms = _join(self._effect(node.parts), self._effect(node.otherwise), _either)
                return _join(self._own_effect(node), arms, _after)
            case _:
                return self._own_effect(node)

    def _own_effect(self, node: Node) -> Effect:
        return self._with_parts(self._plain_effect(node))

    def _with_parts(self, effect: Effect) -> Effect:
        """On a mesh, who gets the whole of a region gets his part of it."""
        if self._scope.shape.tree is not None:
            return effect
        parts = {part_of(name): spread.only_written() for name, spread in effect.items()}
        return {**parts, **effect}

    def _plain_effect(self, node: Node) -> Effect:
        root = self._scope.group.first
        match node.form:
            case Local(role=role, operation=operation):
                writes = self._names(operation, self._scope.operations[str(operation)].writes)
                return {name: Spread(None, {role: True}) for name in writes}
            case Everyone(operation=operation):
                writes = self._names(operation, self._scope.operations[str(operation)].writes)
                return dict.fromkeys(writes, _ALL)
            case Combine(region=region) if self._scope.shape.tree is None:
                return {region: Spread(False), part_of(region): _ALL}
            case Deliver(region=region, owners="parts"):
                return {} if node.in_parts else {part_of(region): _ALL}
            case Transfer(receiver=receiver, region=region):
                return {region: Spread(None, {receiver: True})}
            case Combine(region=region):
                return {region: Spread(False, {root: True})}
            case Deliver(region=region, owners=owners):
                return {region: _ALL if owners is None else self._down_to(int(str(owners)))}
            case Choice(authority=authority, selector=selector, routes=routes):
                if routes is None:
                    return {selector: _ALL}
                informed = (authority, *(receiver for _, receiver in routes))
                return {selector: Spread(None, dict.fromkeys(informed, True))}
            case _:
                return {}

    def _down_to(self, owner: int) -> Spread:
        """Delivery to one owner writes the region along the path to it."""
        scope = self._scope
        target = scope.position(owner)
        written: dict[int, Held] = {owner: True}
        while (above := scope.shape.parent(target)) is not None:
            target = above
            written[scope.group.member(target)] = True
        return Spread(None, written)

    def _reads(self, node: Node) -> dict[str, tuple[int, ...] | None]:
        """Regions that a form reads, and by which roles (None: all members)."""
        root = self._scope.group.first
        match node.form:
            case Local(role=role, operation=operation):
                reads = self._scope.operations[str(operation)].reads
                return dict.fromkeys(self._names(operation, reads), (role,))
            case Everyone(operation=operation):
                return dict.fromkeys(self._names(operation, self._scope.operations[str(operation)].reads))
            case Transfer(sender=sender, region=region):
                return {region: (sender,)}
            case Combine(region=region):
                return {region: None}
            case Deliver(region=region):
                return {part_of(region): None} if node.in_parts else {region: (root,)}
            case Choice(authority=authority, selector=selector):
                return {selector: (authority,)}
            case _:
                return {}

    def _names(self, operation: Any, names: Iterable[str]) -> list[str]:
        """Regions of an operation, parts under their own names."""
        parts = self._scope.operations[str(operation)].parts
        return [part_of(name) if name in parts else name for name in names]

    def _note(self, node: Node, region: str, roles: tuple[int, ...] | None, state: Effect) -> None:
        spread = state.get(region, _KEPT)
        reader = self._unwritten(spread, roles)
        if reader is not None:
            what = region if region.startswith("part of ") else f"region {region!r}"
            message = f"role {reader} reads {what} before it is written there"
            hint = "write or deliver it first, or give the region an initial="
            self._scope.protocol_failure("read-before-written", node.where, message, hint)

    def _unwritten(self, spread: Spread, roles: tuple[int, ...] | None) -> int | None:
        if roles is not None:
            return next((role for role in roles if not spread.at(role)), None)
        if spread.everywhere:
            return min((role for role, held in spread.exceptions.items() if not held), default=None)
        group = self._scope.group
        return next((role for role in map(group.member, range(len(group))) if not spread.at(role)), None)
