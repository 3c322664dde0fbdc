"""`alpha-build demo`: the main job on real data, from nothing, and the proof of its bits."""

from __future__ import annotations

import platform
from dataclasses import dataclass, replace
from typing import Any

from alpha_build import paths
from alpha_build.run.artifacts import find_emulator
from alpha_build.run.outcome import Outcome
from alpha_build.system.contract import Target
from alpha_build.system.errors import AlphaError
from alpha_build.system.system import System

NEEDED = ("jax", "optax", "sklearn")


@dataclass(frozen=True)
class Demo:
    """What came of it; `owners` are state hashes by role, read from the shards' bytes."""

    left_out: tuple[str, ...]
    outcome: Outcome
    owners: dict[int, str]
    reference: str

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


def demo_system(members: int, order: Any, rounding: Any) -> tuple[System, tuple[str, ...]]:
    """examples/digits.py with the asked contract, on the targets that this machine can build and run."""
    from importlib.util import find_spec

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
    left_out, host = [], _host()
    for isa in sorted({target.isa for target in targets.values()} - {host}):
        if why := _missing(isa):
            left_out.append(f"left out: {isa} executables, {why}")
            targets = {role: replace(t, isa=host) if t.isa == isa else t for role, t in targets.items()}
    contract = replace(system.contract, order=order, rounding=rounding)
    changed = replace(system, members=members, contract=contract, pairing=targets)
    return changed, tuple(left_out)


def _host() -> str:
    machine = platform.machine()
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def _missing(isa: str) -> str | None:
    """Why this machine cannot build or run a foreign instruction set."""
    from alpha_build.build.toolchains import available, install_command

    if not available(isa):
        return f"no compiler for them ({install_command(isa)})"
    if find_emulator(isa) is None:
        return "no emulator to run them (apt install qemu-user-static)"
    return None
