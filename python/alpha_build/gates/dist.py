"""A build as a gate sees it: its folder, its manifest, and copies of it that differ in one thing."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from alpha_build.build.elf import Image, read_artifact
from alpha_build.build.stamp import decode, with_budgets
from alpha_build.gates import peer
from alpha_build.run import Outcome, run_build
from alpha_build.run.artifacts import Build, command, read_build

_LEFT_BEHIND = shutil.ignore_patterns("build", "src", "state", "logs")


@dataclass(frozen=True)
class Dist:
    """A folder made by `alpha-build roles`."""

    path: Path
    manifest: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> Dist:
        read_build(path)  # tells what is wrong with it
        return cls(path, json.loads((path / "manifest.json").read_bytes()))

    @property
    def run_identity(self) -> bytes:
        return bytes.fromhex(self.manifest["run"])

    @property
    def roles(self) -> list[int]:
        return [int(entry["role"]) for entry in self.manifest["roles"]]

    def entry(self, role: int) -> dict[str, Any]:
        (found,) = [entry for entry in self.manifest["roles"] if entry["role"] == role]
        return dict(found)

    def artifact(self, role: int) -> Path:
        return self.path / str(self.entry(role)["file"])

    def build(self) -> Build:
        return read_build(self.path)

    def command(self, role: int) -> list[str]:
        """How this machine starts a role, under an emulator where it has to."""
        (artifact,) = [artifact for artifact in self.build().artifacts if artifact.role == role]
        return command(artifact)

    def run(self, state: Path | None = None, *, flight: bool = False) -> Outcome:
        outcome = run_build(self.path, state, json=True, flight=flight)
        if outcome.interrupted:
            raise KeyboardInterrupt
        return outcome

    def copy(self, folder: Path) -> Dist:
        """Without CMake trees, state and logs."""
        shutil.copytree(self.path, folder, ignore=_LEFT_BEHIND)
        return Dist.read(folder)

    def impatient(self, folder: Path, seconds: float) -> Dist:
        """A copy with these connect and accept budgets."""
        return self.budgeted(folder, connect=seconds, accept=seconds)

    def budgeted(self, folder: Path, **seconds: float) -> Dist:
        """A copy with other budgets, which are no part of the identity."""
        copied = self.copy(folder)
        given = {name: round(value * 1e9) for name, value in seconds.items()}
        for entry in copied.manifest["roles"]:
            data = self.artifact(entry["role"]).read_bytes()
            artifact = read_artifact(data)
            budgets = decode(artifact.stamp).budgets
            stamp = with_budgets(artifact.stamp, replace(budgets, **given))
            pieces, digest = Image(data).finish([stamp], artifact.notes)
            copied.artifact(entry["role"]).write_bytes(b"".join(pieces))
            entry["sha256"] = digest
        copied.manifest["budgets"] |= seconds
        return copied.written()

    def written(self) -> Dist:
        (self.path / "manifest.json").write_text(json.dumps(self.manifest))
        return self

    def with_file(self, role: int, file: Path, folder: Path) -> Dist:
        """A copy in which one role's executable is `file`, and a manifest that believes it."""
        copied = self.copy(folder)
        shutil.copy(file, copied.artifact(role))
        for entry in copied.manifest["roles"]:
            if entry["role"] == role:
                entry["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
        return copied.written()

    def with_peer(self, role: int, body: str, folder: Path) -> Dist:
        """A copy in which one role is a Python script: `me` is its Peer, `ports` what it was told."""
        heard = sum(edge["side"] == "higher" for edge in self.entry(role)["edges"])
        script = folder.parent / f"{folder.name}.peer"
        script.write_text(
            _PEER.format(
                python=sys.executable,
                folder=str(Path(peer.__file__).parent),
                role=role,
                run=self.run_identity,
                frame_bytes=self.manifest["frame_bytes"],
                heard=heard,
                body=body,
            )
        )
        script.chmod(0o755)
        return self.with_file(role, script, folder)


# For a shell the second line starts Python, whatever its path; for Python it is a string.
_PEER = """\
#!/bin/sh
"exec" "{python}" "-I" "$0" "$@"
import struct, sys
sys.path.append({folder!r})
from peer import *
me = Peer({role}, {run!r}, {frame_bytes})
ports = struct.unpack(">{heard}H", sys.stdin.buffer.read(2 * {heard}))
{body}
"""
