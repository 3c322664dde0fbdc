"""One started role, as the launcher keeps it: its process, what it announced and what it said."""

from __future__ import annotations

import os
import struct
import subprocess
from pathlib import Path

from alpha_build.run.artifacts import Artifact
from alpha_build.run.lines import Complete, Failed, Flight, LineCutter
from alpha_build.run.outcome import Fate, RoleEnd


class Running:
    """One started role: its process, the ports that it announced, and what it said."""

    def __init__(self, artifact: Artifact, process: subprocess.Popen[bytes], log: Path) -> None:
        self.artifact = artifact
        self.process = process
        self.log = open(log, "w", encoding="utf-8")  # noqa: SIM115 - open as long as the role runs
        self.cutter = LineCutter()
        self.ports = bytearray()
        self.said: Failed | None = None
        self.complete: Complete | None = None
        self.flight: list[Flight] = []
        self.ended_s: float | None = None
        self.called_off = False  # ended by `run` through no fault of its own
        self.note = ""
        self.pidfd = os.pidfd_open(process.pid)

    @property
    def announced(self) -> bool:
        return len(self.ports) >= 2 * self.artifact.announced

    def port_to(self, peer: int) -> int:
        """The port that this role announced for the edge to `peer`."""
        higher = [edge.peer for edge in self.artifact.edges if edge.side == "lower"]
        (port,) = struct.unpack_from(">H", self.ports, 2 * higher.index(peer))
        return int(port)

    @property
    def stopped(self) -> bool:
        """Whether a signal holds the process, where the system says so."""
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_bytes()
        except OSError:
            return False
        return stat[stat.rindex(b")") + 2 :][:1] in (b"T", b"t")

    def end(self) -> RoleEnd:
        status = self.process.returncode
        fate: Fate = "complete"
        if self.ended_s is None:
            fate = "called off" if self.called_off else "stopped"
        elif status < 0:
            fate = "killed"
        elif status > 0 or not self.announced:
            fate = "failed"
        return RoleEnd(
            role=self.artifact.role,
            target=self.artifact.target,
            fate=fate,
            exit=status if self.ended_s is not None and status >= 0 else None,
            signal=-status if fate == "killed" else None,
            said=self.said if fate == "failed" else None,
            note=self.note,
            state=self.complete.state if self.complete and fate == "complete" else None,
            seconds=self.ended_s,
            flight=tuple(self.flight),
        )
