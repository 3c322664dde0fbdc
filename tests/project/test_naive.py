"""A second, naive checker that lists members and edges: it refuses the same systems, for the same reasons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from protocols import systems

import alpha_build as ab
from alpha_build.projector.check import failures


class Naive:
    """Roles and edges as sets, made from the definition of each topology."""

    def __init__(self, system: ab.System) -> None:
        assert isinstance(system.members, ab.ParticipantGroup)
        group = system.members
        self.roles = [role for role in range(group.universe) if role in group]
        self.edges = {frozenset((self.roles[one], self.roles[other])) for one, other in self._pairs(system)}

    def _pairs(self, system: ab.System) -> Iterator[tuple[int, int]]:
        count = len(self.roles)
        match system.topology:
            case ab.Mesh():
                yield from ((one, other) for one in range(count) for other in range(one))
            case ab.Tree(fanout):
                yield from self._tree(0, count, fanout)
            case _:
                yield from ((0, other) for other in range(1, count))

    def _tree(self, first: int, count: int, fanout: int) -> Iterator[tuple[int, int]]:
        """Descendants in at most F chunks, larger first; a chunk's first role is the child."""
        below = count - 1
        chunks = min(fanout, below)
        begin = first + 1
        for chunk in range(chunks):
            size = below // chunks + (chunk < below % chunks)
            yield first, begin
            yield from self._tree(begin, size, fanout)
            begin += size

    def reasons(self, form: Any) -> Iterator[str]:
        match form:
            case ab.Sequence(parts):
                for part in parts:
                    yield from self.reasons(part)
            case ab.Repeat(_, body):
                yield from self.reasons(body)
            case ab.Local(role, _):
                if role not in self.roles:
                    yield "participant-out-of-range"
            case ab.Deliver(_, owners=owner):
                if isinstance(owner, int) and owner not in self.roles:
                    yield "participant-out-of-range"
            case ab.Transfer(sender, receiver, _):
                yield from self._transfer(sender, receiver)
            case ab.Choice():
                yield from self._choice(form)

    def _transfer(self, sender: int, receiver: int) -> Iterator[str]:
        if sender not in self.roles:
            yield "sender-out-of-range"
        if receiver not in self.roles:
            yield "receiver-out-of-range"
        if {sender, receiver} <= set(self.roles):
            if sender == receiver:
                yield "self-transfer"
            elif frozenset((sender, receiver)) not in self.edges:
                yield "no-edge"

    def _choice(self, form: ab.Choice) -> Iterator[str]:
        yield from self.reasons(form.then)
        yield from self.reasons(form.otherwise)
        if form.authority not in self.roles:
            yield "choice-authority"
            return
        if form.routes is None:
            return
        informed = {form.authority}
        for forwarder, receiver in form.routes:
            if forwarder == receiver:
                yield "route-to-self"
            elif receiver in informed:
                yield "route-repeats-receiver"
            elif forwarder not in informed:
                yield "route-uninformed-forwarder"
            elif frozenset((forwarder, receiver)) not in self.edges:
                yield "route-no-edge"
            else:
                informed.add(receiver)
        arms = [*self.participants(form.then), *self.participants(form.otherwise)]
        if not informed.issuperset(arms):
            yield "choice-uninformed"

    def participants(self, form: Any) -> list[int]:
        """Members that take part in what stands; forms with a bad role do not stand."""
        match form:
            case ab.Sequence(parts):
                return [role for part in parts for role in self.participants(part)]
            case ab.Repeat(_, body):
                return self.participants(body)
            case ab.Local(role, _):
                return [role] if role in self.roles else []
            case ab.Transfer(sender, receiver, _):
                return [] if list(self._transfer(sender, receiver)) else [sender, receiver]
            case ab.Deliver(_, owners=owner):
                return self.roles if not isinstance(owner, int) or owner in self.roles else []
            case ab.Choice(authority=authority):
                arms = [*self.participants(form.then), *self.participants(form.otherwise)]
                if authority not in self.roles:
                    return arms
                if form.routes is None:
                    return self.roles
                return [authority, *arms, *self._informed(form)]
            case ab.Skip():
                return []
        return self.roles

    def _informed(self, form: ab.Choice) -> list[int]:
        informed = {form.authority}
        for forwarder, receiver in form.routes or ():
            joined = frozenset((forwarder, receiver)) in self.edges
            if forwarder in informed and receiver not in informed and joined:
                informed.add(receiver)
        return sorted(informed)


@settings(max_examples=300, deadline=None)
@given(systems(outside=True))
def test_both_refuse_for_the_same_reasons(system: ab.System) -> None:
    """Reads and parts have naive checkers of their own, in tests/check/test_written.py."""
    found = [failure.kind for failure in failures(system)]
    others = ("read-before-written", "deliver-either")
    assert sorted(kind for kind in found if kind not in others) == sorted(
        Naive(system).reasons(system.protocol)
    )
