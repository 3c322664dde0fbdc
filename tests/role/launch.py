"""Compiles a role's source, stamps it, and starts whole systems of such executables on loopback."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from alpha_build.build.elf import Image
from alpha_build.build.stamp import BatchStamp, BudgetStamp, EdgeStamp, LearnerStamp, Stamp, encode
from native import CPP, FREESTANDING, STRICT, Target, runtime_sources

LOOPBACK = 0x7F000001
RUN = bytes(range(32))
# As AlphaBuildConfig.cmake compiles them: what touches every byte is fast, what waits is small.
FOLDERS = ("base", "frame", "socket", "role", "state")
FAST = {"memory.cpp", "sha256.cpp"}
SECTIONS = ["-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]


@dataclass
class Toolchain:
    """The runtime of one target as an archive, made once; each role is one small compile against it."""

    target: Target
    folder: Path
    archive: Path = field(init=False)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.archive = self.folder / "libruntime.a"
        flags = [*STRICT, *FREESTANDING, *SECTIONS, *self.target.flags]
        sources = runtime_sources(*FOLDERS)
        groups = [("-O2", [str(path) for path in sources if path.name in FAST])]
        groups.append(("-Oz", [str(path) for path in sources if path.name not in FAST]))
        groups.append(("-O2", ["-fvect-cost-model=dynamic", "-x", "c++", str(CPP / "combine.cu")]))
        for level, files in groups:
            words = [self.target.compiler, *flags, level, "-c", *files]
            subprocess.run(words, check=True, cwd=self.folder)
        objects = sorted(map(str, self.folder.glob("*.o")))
        subprocess.run(
            [self.target.compiler.replace("g++", "ar"), "rc", str(self.archive), *objects], check=True
        )

    def compile(self, source: Path, out: Path, *options: str) -> bytes:
        """The linked executable of a class, stripped, before any stamp."""
        flags = [*STRICT, *FREESTANDING, *SECTIONS, *self.target.flags, "-s", *options]
        start = self.folder / "start.o"
        words = [self.target.compiler, *flags, str(source), str(start), str(self.archive), "-o", str(out)]
        subprocess.run(words, check=True)
        return out.read_bytes()


@dataclass
class Member:
    """One role to be started."""

    linked: bytes
    role: int
    peers: tuple[int, ...]  # ascending
    batches: BatchStamp
    learner: LearnerStamp | None = None
    emulator: str | None = None
    run: bytes = RUN

    def write(self, folder: Path, budget_s: float) -> list[str]:
        edges = tuple(EdgeStamp(peer, LOOPBACK, LOOPBACK, 0, 0) for peer in self.peers)
        budget = int(budget_s * 1e9)
        stamp = Stamp(self.run, self.role, edges, BudgetStamp(*[budget] * 4, 0), self.batches, self.learner)
        pieces, _ = Image(self.linked).finish(encode(stamp), [])
        path = folder / f"role-{self.role}"
        path.write_bytes(b"".join(pieces))
        path.chmod(0o755)
        return [*([self.emulator] if self.emulator else []), str(path)]


@dataclass(frozen=True)
class Ended:
    code: int
    lines: list[str]


# A file that is open for writing in a process that another thread has just forked cannot be executed.
_STARTING = threading.Lock()


class Running:
    """Started participants; the ports of lower roles reach higher ones through their standard input."""

    def __init__(self, members: Sequence[Member], folder: Path, *, arguments: Sequence[str] = (),
                 prefix: dict[int, list[str]] | None = None, budget_s: float = 10) -> None:  # fmt: skip
        folder.mkdir(exist_ok=True)
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        ports: dict[tuple[int, int], bytes] = {}
        for member in members:
            with _STARTING:
                words = [*(prefix or {}).get(member.role, []), *member.write(folder, budget_s), *arguments]
                process = subprocess.Popen(
                    words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
                )
            self.processes[member.role] = process
            assert process.stdin is not None
            assert process.stdout is not None
            lower = [peer for peer in member.peers if peer < member.role]
            higher = [peer for peer in member.peers if peer > member.role]
            try:
                process.stdin.write(b"".join(ports.get((peer, member.role), b"") for peer in lower))
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.stdin = None
            for peer in higher:
                ports[member.role, peer] = process.stdout.read(2)

    def end(self, timeout_s: float = 30) -> dict[int, Ended]:
        ended = {}
        try:
            for role, process in self.processes.items():
                _, errors = process.communicate(timeout=timeout_s)
                ended[role] = Ended(process.returncode, errors.decode().splitlines())
        finally:
            for process in self.processes.values():
                process.kill()
                process.wait()
        return ended


def run(members: Sequence[Member], folder: Path, **options: object) -> dict[int, Ended]:
    return Running(members, folder, **options).end()  # type: ignore[arg-type]
