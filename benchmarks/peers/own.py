"""Our side of the all-reduce benchmark: one build for a member count and topology, all sizes in it."""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import alpha_build as ab
from alpha_build.build.bind import bind
from alpha_build.build.build import build

PREAMBLE = """\
#include "base/text.h"
#include "socket/kernel.h"
inline std::int64_t processor_ns() {
  alpha::kernel::Time time = {};
  alpha::kernel::call(alpha::kernel::Call::clock_gettime, 2, alpha::kernel::address(&time));
  return time.seconds * 1000000000 + time.nanoseconds;
}
"""
# Round r's time is at times[r]; what the processor spent on all of them at the end.
TICK = """\
if (round == 0) times[times.size() - 1] = processor_ns();
times[round] = static_cast<std::int64_t>(alpha::monotonic_ns());
"""
CHECK = """\
for (std::size_t i = 0; i < g{size}.size(); ++i) {{
  if (g{size}[i] != {members}) __builtin_trap();
  g{size}[i] = 0;
}}
"""
# Differences, sorted by shells; one line on descriptor 2.
TELL = """\
const std::uint64_t spent = static_cast<std::uint64_t>(processor_ns() - times[times.size() - 1]);
times[times.size() - 1] = static_cast<std::int64_t>(alpha::monotonic_ns());
const std::size_t count = times.size() - 1;
for (std::size_t i = 0; i < count; ++i) times[i] = times[i + 1] - times[i];
for (std::size_t gap = count / 2; gap > 0; gap /= 2) {{
  for (std::size_t i = gap; i < count; ++i) {{
    const std::int64_t value = times[i];
    std::size_t at = i;
    for (; at >= gap && times[at - gap] > value; at -= gap) times[at] = times[at - gap];
    times[at] = value;
  }}
}}
alpha::Text<160> line;
line.add("bench {size} ", static_cast<std::uint64_t>(times[count / 2]), " ",
         static_cast<std::uint64_t>(times[0]), " ", spent / count, " ", std::uint64_t{{count}}, "\\n");
alpha::kernel::write(2, line.c_str(), line.size());
"""
TOPOLOGIES: dict[str, ab.Topology] = {
    "pair": ab.Pair(),
    "star": ab.Star(),
    "tree": ab.Tree(fanout=2),
    "mesh": ab.Mesh(),
}


def system(members: int, topology: str, rounds: dict[int, int]) -> ab.System:
    """For each size in bytes: a checked sum of ones, then `rounds` sums of zeros, each timed at its start."""
    regions: dict[str, Any] = {}
    operations, forms = [], []
    for size, count in rounds.items():
        array, times = f"g{size}", f"times{size}"
        regions[array] = ab.Region("f32", (size // 4,), initial=1.0)
        regions[times] = ab.Region("i64", (count + 1,))
        bound = f"const auto& times = {times};\n"
        check = ab.Operation(f"check{size}", reads=[], writes=[array], preamble=PREAMBLE,
                             cpp=CHECK.format(size=size, members=members))  # fmt: skip
        tick = ab.Operation(f"tick{size}", reads=[], writes=[times], preamble=PREAMBLE, cpp=bound + TICK)
        tell = ab.Operation(f"tell{size}", reads=[], writes=[times], preamble=PREAMBLE,
                            cpp=bound + TELL.format(size=size))  # fmt: skip
        operations += [check, tick, tell]
        round_trip = [ab.Combine(array), ab.Deliver(array)]
        forms += [
            *round_trip, ab.Everyone(check.name),
            ab.Repeat(max(2, count // 10), ab.Sequence(*round_trip)),
            ab.Repeat(count, ab.Sequence(ab.Everyone(tick.name), *round_trip)),
            ab.Everyone(tell.name),
        ]  # fmt: skip
    return ab.System(
        name="allreduce", members=members, topology=TOPOLOGIES[topology],
        regions=regions, operations=operations,
        protocol=ab.Sequence(*forms), contract=ab.Contract(normalization="sum", nonfinite="propagate"),
    )  # fmt: skip


class Own:
    """The executables of one topology and member count, over TCP or through shared memory."""

    def __init__(self, members: int, topology: str, rounds: dict[int, int], *, shared: bool = False) -> None:
        self.members, self.name = members, f"alpha-build {topology}{' shared' * shared}"
        self._folder = tempfile.TemporaryDirectory(prefix="alpha-bench-")
        build(system(members, topology, rounds), self._folder.name)
        bind(Path(self._folder.name), shared=shared)

    def lines(self) -> list[dict[str, Any]]:
        """One run; figures of role 0, processor time of all."""
        texts = launch(Path(self._folder.name), self.members)
        found: dict[int, dict[str, Any]] = {}
        for role, text in texts.items():
            for words in (line.split()[1:] for line in text.splitlines() if line.startswith("bench ")):
                size, median, least, spent, count = map(int, words)
                entry = found.setdefault(size, {"cpu_us": 0.0})
                entry["cpu_us"] = round(entry["cpu_us"] + spent / 1000, 2)
                if role == 0:
                    entry |= {"system": self.name, "n": self.members, "bytes": size, "iters": count}
                    entry |= {"median_us": median / 1000, "min_us": least / 1000}
        return list(found.values())


def launch(folder: Path, members: int, *arguments: str) -> dict[int, str]:
    """Starts all roles in order with these arguments, hands ports on, waits; descriptor 2 of each.

    Raises:
        RuntimeError: one did not end with 0.
    """
    ports: dict[tuple[int, int], bytes] = {}
    running: list[subprocess.Popen[bytes]] = []
    texts, failed = {}, False
    try:
        for role in range(members):
            peers = neighbours(folder, role)
            file = next(folder.glob(f"*.role-{role}.*"))
            process = subprocess.Popen([str(file), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, cwd=folder)  # fmt: skip
            running.append(process)
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(b"".join(ports[peer, role] for peer in peers if peer < role))
            process.stdin.close()
            process.stdin = None
            for peer in (peer for peer in peers if peer > role):
                ports[role, peer] = process.stdout.read(2)
        for role, process in enumerate(running):
            texts[role] = process.communicate(timeout=300)[1].decode()
            failed |= process.returncode != 0
    finally:
        for process in running:
            process.kill()
            process.wait()
    if failed:
        raise RuntimeError(f"the roles of {folder} failed: {texts}")
    return texts


def neighbours(folder: Path, role: int) -> Sequence[int]:
    entries = json.loads((folder / "manifest.json").read_text())["roles"]
    return sorted(edge["peer"] for edge in next(each for each in entries if each["role"] == role)["edges"])
