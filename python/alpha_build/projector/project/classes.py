"""Which roles share a program, told from their place in the tree without projecting them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ...system.forms import Choice, Deliver, Local, Transfer
from ..check import Checked
from ..check.participants import walk


class Classes:
    """Class keys of a checked system: roles with equal keys have equal programs."""

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._named = frozenset(_named(checked))

    def key(self, role: int) -> Hashable:
        """Target and place in the tree; the role itself where the protocol names it or the way to it."""
        shape = self._checked.shape
        if shape.tree is None or role in self._named:
            return ("role", role)
        position = self._checked.group.rank(role)
        return (self._checked.target(role).isa, position == 0, len(shape.child_subtrees(position)))


def _named(checked: Checked) -> Iterator[int]:
    """Roles that the protocol treats apart: named in a form, or on the way from the root to such a role."""
    for node in walk(checked.nodes):
        match node.form:
            case Local(role=role):
                yield role
            case Transfer(sender=sender, receiver=receiver):
                yield from (sender, receiver)
            case Deliver(owners=int(owner)):
                yield from _path(checked, owner)
            case Choice(authority=authority, routes=None):
                yield from _path(checked, authority)
            case Choice(authority=authority, routes=routes):
                yield authority
                for route in routes or ():
                    yield from route


def _path(checked: Checked, role: int) -> Iterator[int]:
    position: int | None = checked.group.rank(role)
    while position is not None:
        yield checked.group.member(position)
        position = checked.shape.parent(position)
