"""The global protocol's forms: communication written once, for all members, as data."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, field
from typing import Literal

from .contract import Contract
from .place import Place, user_place
from .region import Operation
from .topology import Topology


@dataclass(frozen=True, kw_only=True)
class Form:
    """Base of the forms; `place` is where the user wrote it."""

    place: Place = field(default_factory=user_place, compare=False, repr=False)


@dataclass(frozen=True)
class Skip(Form):
    """Nothing."""


@dataclass(frozen=True)
class Local(Form):
    """One role runs an operation on its own regions; `reads` and `writes`, where given, repeat the
    operation's own for the reader, and are checked to be the same."""

    role: int
    operation: str | Operation
    reads: SequenceOf[str] | None = None
    writes: SequenceOf[str] | None = None


@dataclass(frozen=True)
class Transfer(Form):
    """One region moves along one edge."""

    sender: int
    receiver: int
    region: str


@dataclass(frozen=True, init=False)
class Sequence(Form):
    """One part after the other."""

    parts: tuple[Form, ...]

    def __init__(self, *parts: Form, place: Place | None = None) -> None:
        object.__setattr__(self, "parts", parts)
        object.__setattr__(self, "place", place or user_place())


@dataclass(frozen=True)
class Repeat(Form):
    """A counted loop, at any count one loop in the executables too."""

    count: int
    body: Form


@dataclass(frozen=True)
class Choice(Form):
    """The authority's word decides between two arms and travels along `routes`, (forwarder, receiver) pairs
    in order; by default along the topology, from the authority to everyone."""

    authority: int
    selector: str
    then: Form
    otherwise: Form = field(default_factory=Skip)
    routes: Iterable[tuple[int, int]] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.routes is not None:
            object.__setattr__(self, "routes", tuple(self.routes))  # a generator is read once


@dataclass(frozen=True)
class Everyone(Form):
    """The same local operation at every member."""

    operation: str | Operation


@dataclass(frozen=True)
class Combine(Form):
    """Members' contributions are combined in the contract's order.

    On a tree they move up and the result is the root's; on a mesh each member gets everybody's contribution
    to its own part of the region and holds that part of the result.  What else a region holds is unspecified
    until it is written or delivered again.
    """

    region: str
    topology: Topology | None = field(default=None, kw_only=True)
    contract: Contract | None = field(default=None, kw_only=True)


@dataclass(frozen=True)
class Deliver(Form):
    """A region moves to every owner, or to the one role in `owners`: from the root, or on a mesh from all
    members while it lies in parts.  With owners="parts" (a mesh) each member gets its own part."""

    region: str
    owners: int | Literal["parts"] | None = field(default=None, kw_only=True)
