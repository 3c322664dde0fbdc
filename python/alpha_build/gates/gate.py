"""What a gate is, and how it says that something is wrong or cannot be tried here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from alpha_build.gates.bench import Bench
    from alpha_build.gates.dist import Dist


class GateFailure(Exception):
    """What was seen is not what must be seen."""


class LeftOut(Exception):
    """This machine, or this build, cannot try the gate; the text says why."""


@dataclass(frozen=True)
class Gate:
    """One thing that must hold: `run` tries it on small systems, `dist` on a user's build."""

    name: str
    about: str
    run: Callable[[Bench], None]
    dist: Callable[[Bench, Dist], None] | None = None


def expect(holds: object, seen: object) -> None:
    """Raises GateFailure, telling what was seen, unless `holds`."""
    if not holds:
        raise GateFailure(str(seen).strip())
