"""How a region lies when a form of a mesh begins: whole, as its forms wrote it, or in parts, one a member.

What some forms do to a region is the set of how it may lie afterwards, KEPT standing for however it lay
before.  Such sets compose, so that a loop is walked once whatever its count.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...system.forms import Choice, Combine, Deliver, Everyone, Local, Repeat, Transfer
from .learned import LEARNER_WRITES, Every
from .node import Node
from .scope import Scope

KEPT, WHOLE, PARTS = "kept", "whole", "parts"
Lies = dict[str, frozenset[str]]
_ONLY_KEPT = frozenset({KEPT})


def mark_parts(nodes: tuple[Node, ...], scope: Scope) -> tuple[Node, ...]:
    """Mark each Deliver whose region lies in parts; note one that may find it either way."""
    state = dict.fromkeys(scope.regions, frozenset({WHOLE}))
    return _Marker(scope).nodes(nodes, state)[0]


def _after(first: Lies, second: Lies) -> Lies:
    def of(name: str) -> frozenset[str]:
        before, change = first.get(name, _ONLY_KEPT), second.get(name, _ONLY_KEPT)
        return (change - {KEPT}) | (before if KEPT in change else frozenset())

    return {name: of(name) for name in first.keys() | second.keys()}


def _either(one: Lies, other: Lies) -> Lies:
    names = one.keys() | other.keys()
    return {name: one.get(name, _ONLY_KEPT) | other.get(name, _ONLY_KEPT) for name in names}


class _Marker:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._effects: dict[int, Lies] = {}  # by the identity of a node

    def nodes(self, nodes: Iterable[Node], state: Lies) -> tuple[tuple[Node, ...], Lies]:
        marked = []
        for node in nodes:
            marked.append(self._marked(node, state))
            state = _after(state, self._effect(node))
        return tuple(marked), state

    def _marked(self, node: Node, state: Lies) -> Node:
        match node.form:
            case Repeat(count=0):
                return node
            case Repeat(count=1):
                return replace(node, parts=self.nodes(node.parts, state)[0])
            case Repeat() | Every():
                again = _either(state, _after(state, self._effects_of(node.parts)))
                return replace(node, parts=self.nodes(node.parts, again)[0])
            case Choice():
                then, _ = self.nodes(node.parts, state)
                return replace(node, parts=then, otherwise=self.nodes(node.otherwise, state)[0])
            case Deliver(region=region):
                lies = state[region]
                if len(lies) > 1:
                    message = f"region {region!r} may lie whole at the root or in parts at all members here"
                    hint = "deliver it in both arms, or at the end of the loop's body"
                    self._scope.protocol_failure("deliver-either", node.where, message, hint)
                return replace(node, in_parts=lies == {PARTS})
            case _:
                return node

    def _effects_of(self, nodes: Iterable[Node]) -> Lies:
        total: Lies = {}
        for node in nodes:
            total = _after(total, self._effect(node))
        return total

    def _effect(self, node: Node) -> Lies:
        if id(node) not in self._effects:
            self._effects[id(node)] = self._compute(node)
        return self._effects[id(node)]

    def _compute(self, node: Node) -> Lies:
        root = self._scope.group.first
        match node.form:
            case Repeat(count=0):
                return {}
            case Repeat() | Every():
                return self._effects_of(node.parts)
            case Choice():
                return _either(self._effects_of(node.parts), self._effects_of(node.otherwise))
            case Combine(region=region) | Deliver(region=region, owners="parts"):
                return {region: frozenset({PARTS})}
            case Deliver(region=region, owners=None):
                return {region: frozenset({WHOLE})}
            case Transfer(receiver=receiver, region=region) if receiver == root:
                return {region: frozenset({WHOLE})}
            case Everyone(operation=operation) if self._scope.learns:
                return dict.fromkeys(LEARNER_WRITES[str(operation)], frozenset({WHOLE}))
            case Everyone(operation=operation):
                known = self._scope.operations[str(operation)]
                return {name: frozenset({PARTS if name in known.parts else WHOLE}) for name in known.writes}
            case Local(role=role, operation=operation) if role == root:
                known = self._scope.operations[str(operation)]
                return {name: frozenset({WHOLE}) for name in known.writes if name not in known.parts}
            case _:
                return {}
