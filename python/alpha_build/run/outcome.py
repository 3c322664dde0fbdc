"""How a run ended: each role's fate, the first cause of a failure, and all of it as one JSON object."""

from __future__ import annotations

import signal
from dataclasses import dataclass, field
from typing import Literal

from alpha_build.run.lines import Failed, Flight
from alpha_build.run.rounds import finite

# Two fates of a role that `run` had to end: "stopped" had its time to notice a failure and said nothing;
# "called off" was at work, or waited for roles that `run` then never started.
Fate = Literal["complete", "failed", "killed", "stopped", "called off", "not started"]


@dataclass(frozen=True)
class RoleEnd:
    """One role's end; `seconds` from the start of the run, None for a role that `run` itself ended."""

    role: int
    target: str
    fate: Fate
    exit: int | None = None
    signal: int | None = None
    said: Failed | None = None
    note: str = ""  # what the launcher saw where the role said nothing
    state: str | None = None
    seconds: float | None = None
    flight: tuple[Flight, ...] = ()  # its flight record, seconds from the start of the run

    @property
    def text(self) -> str:
        """What to tell a person, without the role."""
        if self.fate == "killed":
            assert self.signal is not None
            return f"was killed by {signal_name(self.signal)}"
        if self.fate == "failed":
            return (
                self.said.text
                if self.said
                else self.note or f"ended with status {self.exit} and said nothing"
            )
        return self.note or self.fate

    def as_json(self) -> dict[str, object]:
        return {
            "role": self.role,
            "target": self.target,
            "fate": self.fate,
            "exit": self.exit,
            "signal": signal_name(self.signal) if self.signal is not None else None,
            "said": self.said.text if self.said else None,
            "state": self.state,
            "seconds": round(self.seconds, 6) if self.seconds is not None else None,
        }


@dataclass(frozen=True)
class Cause:
    """The first cause: the role where it lies, the peer at the other end of the named edge, a sentence."""

    role: int
    peer: int | None
    kind: str
    text: str

    def as_json(self) -> dict[str, object]:
        return {"role": self.role, "peer": self.peer, "kind": self.kind, "text": self.text}


@dataclass(frozen=True)
class Outcome:
    name: str
    run: str
    ends: tuple[RoleEnd, ...]
    cause: Cause | None
    seconds: float
    interrupted: bool = False
    rounds: int = 0
    loss: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        return not self.interrupted and all(end.fate == "complete" for end in self.ends)

    @property
    def follow_on(self) -> tuple[RoleEnd, ...]:
        """Roles that failed because another had, in role order."""
        first = self.cause.role if self.cause else None
        return tuple(end for end in self.ends if end.fate != "complete" and end.role != first)

    def as_json(self) -> dict[str, object]:
        return {
            "name": self.name,
            "run": self.run,
            "ok": self.ok,
            "interrupted": self.interrupted,
            "seconds": round(self.seconds, 6),
            "rounds": self.rounds,
            "loss": finite(self.loss),
            "metrics": {name: finite(value) for name, value in self.metrics.items()},
            "roles": [end.as_json() for end in self.ends],
            "cause": self.cause.as_json() if self.cause else None,
            "follow_on": [end.role for end in self.follow_on],
        }


def signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
