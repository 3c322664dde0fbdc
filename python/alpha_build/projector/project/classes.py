"""Which roles share a program, told from their place in the topology without projecting them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from ...system.forms import Choice, Deliver, Local, Transfer
from ..check import Checked
from ..check.learned import Publish, Start, Until
from ..check.participants import walk


class Classes:
    """Names of a checked system's classes: roles with equal names have equal programs.

    A name is made of the role's own place and target, so that it stays the same whichever roles are built.
    """

    def __init__(self, checked: Checked) -> None:
        self._checked = checked
        self._named = frozenset(_named(checked))
        self._named_positions = sorted(map(checked.group.rank, self._named))

    def name(self, role: int) -> str:
        """ "leaf-x86_64"; "inner-64-x86_64" has 64 children; "leaf-role-7-x86_64" where a form names role 7
        or the way to it; on a mesh "peer-1-x86_64" stands after one such role."""
        checked = self._checked
        position = checked.group.rank(role)
        return f"{self._place(role, position)}-{checked.target(role).isa}"

    def _place(self, role: int, position: int) -> str:
        kind, children = self._checked.shape.place(position)
        if role in self._named:
            return f"{kind}-role-{role}"
        if kind == "peer":
            before = bisect_left(self._named_positions, position)
            return f"peer-{before}" if before or self._named else "peer"
        return f"inner-{children}" if kind == "inner" else kind


def _named(checked: Checked) -> Iterator[int]:
    """Roles that the protocol treats apart: named in a form, or on the way from the root to such a role."""
    for node in walk(checked.nodes):
        match node.form:
            case Start() | Until() | Publish() if checked.shape.tree is None:
                yield checked.group.first
            case Local(role=role):
                yield role
            case Transfer(sender=sender, receiver=receiver):
                yield from (sender, receiver)
            case Deliver(owners=owners):
                if checked.shape.tree is None and not node.in_parts:
                    yield checked.group.first
                if isinstance(owners, int):
                    yield from _path(checked, owners)
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
