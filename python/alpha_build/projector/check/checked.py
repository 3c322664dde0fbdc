"""A system that has passed every check: what projection takes, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...learner.program import LearnerProgram
from ...system.contract import Target
from ...system.membership import ParticipantGroup
from ...system.region import Operation, Region, Word
from ...system.system import System
from .identity import ContractFacts, Identity
from .node import Node
from .shape import Shape
from .shares import BatchCut

_SEAL = object()


@dataclass(frozen=True, eq=False)
class Checked:
    """Made by `check` alone.

    `cuts` are a learner's full, short and evaluation batches; one that does not occur has no samples.
    """

    system: System
    learner: LearnerProgram | None
    group: ParticipantGroup
    shape: Shape
    facts: ContractFacts
    regions: Mapping[str, Region | Word]
    operations: Mapping[str, Operation]
    nodes: tuple[Node, ...]
    cuts: tuple[BatchCut, BatchCut, BatchCut] | None
    identity: Identity
    warnings: tuple[str, ...]
    seal: object = field(repr=False)

    def __post_init__(self) -> None:
        if self.seal is not _SEAL:
            raise TypeError("only check() makes a Checked")

    def target(self, role: int) -> Target:
        """On which target a role runs."""
        return self.system.pairing.get(role, Target())
