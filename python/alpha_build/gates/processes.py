"""Executables started by hand, without the launcher, and the proof that none is left."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from alpha_build.gates.dist import Dist

END_S = 30.0  # no gate's executable may take longer than that to end


class Ended(NamedTuple):
    status: int  # the exit code, or minus a signal
    said: str  # all of descriptor 2


class Started:
    """A role's process, told its lower peers' ports; `ports` are those that it announced."""

    def __init__(self, argv: Sequence[str], lower_ports: Sequence[int], announced: int, folder: Path) -> None:
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(struct.pack(f">{len(lower_ports)}H", *lower_ports))
        self.process.stdin.close()
        self.process.stdin = None
        heard = self.process.stdout.read(2 * announced)
        self.ports = list(struct.unpack(f">{len(heard) // 2}H", heard))

    def end(self) -> Ended:
        _, said = self.process.communicate(timeout=END_S)
        return Ended(self.process.returncode, said.decode(errors="replace"))

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


class Starter:
    """Starts roles of a build; whoever still runs at the end is killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Started] = []

    def __call__(self, dist: Dist, role: int, lower_ports: Sequence[int] = ()) -> Started:
        edges = dist.entry(role)["edges"]
        announced = sum(edge["side"] == "lower" for edge in edges)
        self._started.append(Started(dist.command(role), lower_ports, announced, self._folder))
        return self._started[-1]

    def end_all(self) -> None:
        for each in self._started:
            each.kill()


@contextmanager
def starter(folder: Path) -> Iterator[Starter]:
    start = Starter(folder)
    try:
        yield start
    finally:
        start.end_all()


def running(folder: Path) -> dict[int, str]:
    """Live processes whose command line names a file of the folder: process id to file name."""
    prefix = f"{folder}/".encode()
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        for word in words[:3]:  # itself, or after an emulator's or interpreter's name
            if word.startswith(prefix) and b".role-" in word:
                found[int(entry.name)] = Path(word.decode()).name
    return found
