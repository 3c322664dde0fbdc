"""What a person reads when a run is over: the result on stdout, or the first cause last on stderr."""

from __future__ import annotations

import sys
from pathlib import Path

from alpha_build.run.flight import LOG, waits
from alpha_build.run.outcome import Outcome

FOLLOW_ON_SHOWN = 8
WAITS_SHOWN = 16


def print_outcome(outcome: Outcome, folder: Path, *, quiet: bool = False) -> None:
    """Success on stdout unless `quiet`; a failure or an interruption on stderr, its reason last."""
    if outcome.ok:
        if not quiet:
            _print_success(outcome)
        return
    lines = [
        f"{outcome.name} failed after {outcome.seconds:.1f} s; each role's lines are in {folder / 'logs'}"
    ]
    lines += _waited(outcome, folder)
    if outcome.cause is not None:
        follow_on = outcome.follow_on
        lines += [f"follow-on: role {end.role}: {end.text}" for end in follow_on[:FOLLOW_ON_SHOWN]]
        if len(follow_on) > FOLLOW_ON_SHOWN:
            lines.append(f"follow-on: {len(follow_on) - FOLLOW_ON_SHOWN} more")
        lines.append(f"first cause: {outcome.cause.text}")
    if outcome.interrupted:
        lines = [*lines[1:], f"interrupted after {outcome.seconds:.1f} s; every role was ended"]
    for line in lines:
        print(f"alpha-build: {line}", file=sys.stderr)


def _waited(outcome: Outcome, folder: Path) -> list[str]:
    """From flight records, where there are any: who waited for whom when the run failed."""
    found = waits(outcome.ends)
    lines = [
        f"role {each.role} waited for role {each.peer}, {outcome.seconds - each.seconds:.1f} s: {each.text}"
        for each in found[:WAITS_SHOWN]
    ]
    if any(end.flight for end in outcome.ends):
        more = f"{len(found) - WAITS_SHOWN} more, and " if len(found) > WAITS_SHOWN else ""
        lines.append(f"{more}every role's last transfers, by time: {folder / 'logs' / LOG}")
    return lines


def _print_success(outcome: Outcome) -> None:
    parts = [f"{outcome.name}: {len(outcome.ends)} roles complete in {outcome.seconds:.1f} s"]
    if outcome.rounds:
        parts.append(f"{outcome.rounds} rounds")
    if outcome.loss is not None:
        parts.append(f"last loss {outcome.loss:.6g}")
    parts += [f"{name} {value:.6g}" for name, value in outcome.metrics.items()]
    print(", ".join(parts))
    hashes = {end.state for end in outcome.ends if end.state is not None}
    if len(hashes) == 1:
        print(f"state {hashes.pop()}, the same at every owner")
    elif hashes:
        for end in outcome.ends:
            print(f"role {end.role}: state {end.state}")
