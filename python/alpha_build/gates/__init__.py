"""Gates: what must hold of every build, tried with real processes on this machine, by name."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from alpha_build.gates import abort, establishment, identity, refusals, relay, shared, sums
from alpha_build.gates.bench import Bench, bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, GateFailure, LeftOut
from alpha_build.system.errors import AlphaError

__all__ = ["GATES", "Result", "run_gates"]

GATES = {
    gate.name: gate
    for module in (sums, relay, refusals, shared, identity, establishment, abort)
    for gate in module.GATES
}


@dataclass(frozen=True)
class Result:
    """What became of one gate: "passed", "failed", or "left out" where this machine cannot try it."""

    name: str
    verdict: str
    seconds: float
    reason: str = ""
    seen: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {**vars(self), "seconds": round(self.seconds, 3), "seen": list(self.seen)}


def run_gates(names: Sequence[str], dist: Path | None, say: Callable[[str], None]) -> Iterator[Result]:
    """Runs these gates (all, if none is named), each to its end; `say` takes a line as soon as it is seen.

    With `dist`, those that apply to a build of the user's, on a copy of it.
    Raises AlphaError for a name that there is not, or a build that cannot be used.
    """
    for name in names:
        if name not in GATES:
            raise AlphaError(f"there is no gate {name!r}", kind="gate", hint=f"there are {', '.join(GATES)}")
    chosen = [GATES[name] for name in names] or list(GATES.values())
    seen: list[str] = []

    def take(line: str) -> None:
        seen.append(line)
        say(line)

    with bench(take) as session:
        user = Dist.read(dist.absolute()).copy(session.new_folder() / "dist") if dist else None
        for gate in chosen:
            if user is not None and gate.dist is None:
                if names:
                    yield Result(gate.name, "left out", 0, "it is not about a build of one's own")
                continue
            seen.clear()
            begin = time.monotonic()
            verdict, reason = _tried(gate, session, user)
            yield Result(gate.name, verdict, time.monotonic() - begin, reason, tuple(seen))


def _tried(gate: Gate, session: Bench, user: Dist | None) -> tuple[str, str]:
    try:
        if user is None:
            gate.run(session)
        elif gate.dist is not None:
            gate.dist(session, user)
    except LeftOut as why:
        return "left out", str(why)
    except AlphaError as error:
        return ("left out" if error.kind in ("no-compiler", "no-emulator") else "failed"), str(error)
    except GateFailure as failure:
        return "failed", str(failure)
    except Exception as error:  # a peer that saw something else, a process that did not end: the gate failed
        return "failed", f"{type(error).__name__}: {error}"
    return "passed", ""
