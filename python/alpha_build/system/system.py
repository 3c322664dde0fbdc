"""The whole of what a user writes: who takes part, how they are joined, what they compute and exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .contract import Budgets, Contract, Target
from .forms import Form
from .learner import Learner
from .limits import FRAME_BYTES
from .membership import ParticipantGroup
from .place import Place, user_place
from .region import Operation, Region, Word
from .topology import Topology, Tree


@dataclass(frozen=True, eq=False)
class System:
    """Either `learner`, or `protocol` with its `regions` and `operations`.

    `pairing` says on which target a role runs (x86-64 where it says nothing); `frame_bytes` bounds a frame's
    payload and is part of the run identity, `budgets` (seconds) and `pairing` are not.
    """

    name: str
    members: int | ParticipantGroup
    topology: Topology = field(default_factory=Tree)
    learner: Learner | None = None
    contract: Contract = field(default_factory=Contract)
    regions: Mapping[str, Region | Word] = field(default_factory=dict)
    operations: Sequence[Operation] = ()
    protocol: Form | None = None
    pairing: Mapping[int, Target] = field(default_factory=dict)
    budgets: Budgets = field(default_factory=Budgets)
    frame_bytes: int = FRAME_BYTES
    place: Place = field(default_factory=user_place, repr=False, kw_only=True)
