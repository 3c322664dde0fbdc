"""In which order and how values are added, on which machine a role runs, how long a participant waits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from . import limits
from .place import Place, user_place

Order = Literal["tree", "sequence", "canonical"]
Rounding = Literal["separate", "fused"]
Normalization = Literal["mean", "sum"]
Nonfinite = Literal["refuse", "propagate"]


@dataclass(frozen=True)
class Contract:
    """What fixes every bit of a combine.  None means: as the learner or region says, or the rule's default.

    `block` is in samples (order canonical only); `fanout` is the combining tree's on a mesh (default 8).
    """

    order: Order = "tree"
    rounding: Rounding = "fused"
    element: str | None = None
    accumulate: str | None = None
    block: int | None = None
    normalization: Normalization = "mean"
    nonfinite: Nonfinite = "refuse"
    fanout: int | None = None
    place: Place = field(default_factory=user_place, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True)
class Target:
    """Instruction set ("x86_64" or "aarch64") and, where there is one, the GPU's UUID."""

    isa: str = "x86_64"
    gpu: str | None = None


@dataclass(frozen=True)
class Budgets:
    """Seconds on the monotonic clock: connect, accept, wait (a frame's first byte), frame (from there to its
    trailer), session (one deadline over everything; None: no such deadline)."""

    connect: float = limits.CONNECT_SECONDS
    accept: float = limits.ACCEPT_SECONDS
    wait: float = limits.WAIT_SECONDS
    frame: float = limits.FRAME_SECONDS
    session: float | None = None
