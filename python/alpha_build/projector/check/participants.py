"""Who takes part in some forms: everybody, or a set of named roles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...system.forms import Choice, Combine, Deliver, Everyone, Local, Transfer
from ...system.membership import ParticipantGroup
from .learned import Publish, Start, Until
from .node import Node


@dataclass(frozen=True)
class Participants:
    """`everybody` says all members; `named` otherwise."""

    everybody: bool = False
    named: frozenset[int] = frozenset()

    def outside(self, informed: frozenset[int], group: ParticipantGroup) -> int | None:
        """A participant that is not informed, found without listing the membership."""
        if not self.everybody:
            return min(self.named - informed, default=None)
        if len(informed) >= len(group):
            return None
        return next(role for role in map(group.member, range(len(group))) if role not in informed)


def participants(nodes: Iterable[Node]) -> Participants:
    """Who runs, sends or receives anything in the forms."""
    named: set[int] = set()
    for node in walk(nodes):
        match node.form:
            case Everyone() | Combine() | Deliver() | Start() | Until() | Publish() | Choice(routes=None):
                return Participants(everybody=True)
            case Local(role=role):
                named.add(role)
            case Transfer(sender=sender, receiver=receiver):
                named |= {sender, receiver}
            case Choice(authority=authority, routes=routes):
                named.add(authority)
                named.update(receiver for _, receiver in routes or ())
    return Participants(named=frozenset(named))


def walk(nodes: Iterable[Node]) -> Iterator[Node]:
    """Every node, in preorder."""
    for node in nodes:
        yield node
        yield from walk(node.parts)
        yield from walk(node.otherwise)
