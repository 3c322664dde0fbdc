"""Flight records of a failed run: all roles' last transfers by time, and who waited for whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from alpha_build.run.lines import Flight
from alpha_build.run.outcome import RoleEnd

LOG = "flight.log"


@dataclass(frozen=True)
class Wait:
    """A transfer that a role had in hand when it failed: it waited for `peer`, `seconds` into the run."""

    role: int
    peer: int
    seconds: float
    text: str


def merged(ends: Sequence[RoleEnd]) -> list[Flight]:
    """All roles' steps, oldest first; of one moment, in role order."""
    return sorted((step for end in ends for step in end.flight), key=lambda step: (step.seconds, step.role))


def waits(ends: Sequence[RoleEnd]) -> list[Wait]:
    """Who waited for whom at the end, the one who waited longest first."""
    return [
        Wait(step.role, step.peer, step.seconds, step.text) for step in merged(ends) if step.state is not None
    ]


def write_flight(steps: Iterable[Flight], path: Path) -> None:
    path.write_text(
        "".join(f"{step.seconds:13.6f} s  role {step.role}: {step.text}\n" for step in steps),
        encoding="utf-8",
    )
