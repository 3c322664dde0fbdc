"""`alpha-build demo`: the main job on real data, from nothing, and the proof of its bits."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from alpha_build import paths
from alpha_build.progress import Stages
from alpha_build.run import Interrupts, Outcome, run_build
from alpha_build.run.artifacts import find_emulator
from alpha_build.run.report import print_outcome
from alpha_build.system.contract import Order, Rounding, Target
from alpha_build.system.errors import AlphaError
from alpha_build.system.system import System

NEEDED = ("jax", "optax", "sklearn")


@dataclass(frozen=True)
class Demo:
    """What came of it: state hashes by role, from the shards' own bytes, and the reference's."""

    left_out: tuple[str, ...]
    outcome: Outcome
    owners: dict[int, str]
    reference: str | None

    @property
    def identical(self) -> bool:
        return bool(self.owners) and set(self.owners.values()) == {self.reference}

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": self.outcome.ok and self.identical,
            "identical": self.identical,
            "left_out": list(self.left_out),
            "reference": self.reference,
            "owners": {str(role): digest for role, digest in self.owners.items()},
            "run": self.outcome.as_json(),
        }


def demo(out: Path, members: int, order: Order, rounding: Rounding, *, quiet: bool) -> Demo:
    """Builds and trains examples/digits.py, then computes the same in one process; `quiet` says nothing."""
    say: Callable[[str], None] = (lambda line: None) if quiet else print
    system, left_out = demo_system(members, order, rounding)
    for line in left_out:
        say(line)
    _build(system, out, say, quiet)
    outcome = run_build(out, json=quiet, interrupts=Interrupts(final=True))
    print_outcome(outcome, out, quiet=True)
    if not outcome.ok:
        return Demo(left_out, outcome, {}, None)
    for name, value in outcome.metrics.items():
        say(f"{name} on held-out samples: {value:.4f}")
    from alpha_build.run.reference import run_reference
    from alpha_build.state.load import states

    begin = time.monotonic()
    reference = run_reference(system, out)
    say(f"the same system in one process: {time.monotonic() - begin:.1f} s")
    done = Demo(left_out, outcome, {owner.role: owner.hash for owner in states(out / "state")}, reference)
    targets = {end.role: end.target for end in outcome.ends}
    for role, digest in done.owners.items():
        say(f"state of role {role}, {targets[role]:<8} SHA-256 {digest}")
    say(f"{'state of the reference':<25} SHA-256 {reference}")
    say(f"identical: {'yes' if done.identical else 'no'}")
    return done


def demo_system(members: int, order: Order, rounding: Rounding) -> tuple[System, tuple[str, ...]]:
    """examples/digits.py with this contract, on the targets that this machine can build and run."""
    from alpha_build.build.toolchains import host_target
    from alpha_build.system.load import load_system

    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise AlphaError(
            f"the demo needs {', '.join(missing)}",
            kind="demo-packages",
            hint="pip install 'alpha-build[demo]'",
        )
    system = load_system(str(paths.runtime() / "examples" / "digits.py"))
    targets = {role: system.pairing.get(role, Target()) for role in range(members)}
    left_out, host = [], host_target()
    for isa in sorted({target.isa for target in targets.values()} - {host}):
        if why := _missing(isa):
            left_out.append(f"left out: {isa} executables, {why}; those roles are {host} here")
            targets = {role: replace(t, isa=host) if t.isa == isa else t for role, t in targets.items()}
    contract = replace(system.contract, order=order, rounding=rounding)
    return replace(system, members=members, contract=contract, pairing=targets), tuple(left_out)


def _build(system: System, out: Path, say: Callable[[str], None], quiet: bool) -> None:
    from alpha_build.build.build import build

    _clear(out, system.name)
    begin = time.monotonic()
    with Stages(shown=not quiet) as progress:
        manifest = build(system, out, progress=progress)
    for notice in manifest.notices:
        print(f"alpha-build: {notice}", file=sys.stderr)
    say(f"{len(manifest.entries)} executables in {out}, made in {time.monotonic() - begin:.1f} s")


def _clear(out: Path, name: str) -> None:
    """Removes the state of an earlier demo, which may have had other members; nobody else's."""
    try:
        earlier = json.loads((out / "manifest.json").read_bytes())["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if earlier == name:
        shutil.rmtree(out / "state", ignore_errors=True)


def _missing(isa: str) -> str | None:
    """Why this machine cannot build or run a foreign instruction set."""
    from alpha_build.build.toolchains import available, install_command

    if not available(isa):
        return f"no compiler for them ({install_command(isa)})"
    if find_emulator(isa) is None:
        return "no emulator to run them (apt-get install qemu-user-static)"
    return None
