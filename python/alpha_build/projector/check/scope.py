"""What a form may refer to while it is checked: members, edges, regions, operations, the contract."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...system.contract import Contract
from ...system.errors import AlphaError, ContractFailure, ProtocolFailure
from ...system.membership import ParticipantGroup
from ...system.place import Place
from ...system.region import Operation, Region, Word
from .numbers import whole
from .regions import unknown_region
from .shape import Shape


@dataclass(frozen=True)
class Scope:
    """`learns`: the operations are a learner's own (gradient, update, evaluate), not the system's."""

    group: ParticipantGroup
    shape: Shape
    place: Place  # of the system
    contract: Contract
    regions: Mapping[str, Region | Word]
    operations: Mapping[str, Operation]
    learns: bool
    found: list[AlphaError] = field(default_factory=list)

    def protocol_failure(self, kind: str, where: str, message: str, hint: str) -> None:
        """Note a failure and go on."""
        self.found.append(ProtocolFailure(message, kind=kind, where=where, hint=hint))

    def contract_failure(self, kind: str, where: str, message: str, hint: str) -> None:
        """Note a failure and go on."""
        self.found.append(ContractFailure(message, kind=kind, where=where, hint=hint))

    def member(self, role: Any, kind: str, what: str, where: str) -> int | None:
        """A member's role as an int; otherwise a failure of that kind."""
        number = whole(role)
        if number is not None and number in self.group:
            return number
        first, last = self.group.first, self.group.last
        self.protocol_failure(
            kind, where, f"{what} {role!r} is not a member", f"members lie between roles {first} and {last}"
        )
        return None

    def region(self, name: Any, where: str) -> Region | Word | None:
        """A region by name."""
        region = self.regions.get(name) if isinstance(name, str) else None
        if region is None:
            self.found.append(unknown_region(name, where, self.regions))
        return region

    def position(self, role: int) -> int:
        """Position of a member in the topology."""
        return self.group.rank(role)

    def joined(self, one: int, other: int) -> bool:
        """Whether two members share an edge."""
        return self.shape.joined(self.position(one), self.position(other))
