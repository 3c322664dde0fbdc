"""Check and project one role: time and peak memory at 10, 1,000 and 200,000 members; the whole command."""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import alpha_build as ab
from alpha_build.projector.check import check
from alpha_build.projector.project import project
from alpha_build.system.load import load_system

FLEET = Path(__file__).resolve().parents[1] / "examples" / "fleet.py"
ITERATIONS = 101
COMMANDS = 7


def tree(members: int) -> ab.System:
    """The example's protocol over a plain tree."""
    fleet = load_system(str(FLEET))
    return ab.System(
        name=fleet.name,
        members=members,
        topology=fleet.topology,
        regions=fleet.regions,
        operations=fleet.operations,
        protocol=fleet.protocol,
    )


def measure(work: Callable[[], object], iterations: int) -> dict[str, float]:
    """Microseconds of wall clock, and of processor time (this process and its children) on average."""
    walls, begin = [], _processor_seconds()
    for _ in range(iterations):
        start = time.perf_counter()
        work()
        walls.append(1e6 * (time.perf_counter() - start))
    return {
        "median_us": round(statistics.median(walls), 1),
        "min_us": round(min(walls), 1),
        "cpu_us": round(1e6 * (_processor_seconds() - begin) / iterations, 1),
        "iters": iterations,
    }


def _processor_seconds() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


def plan(label: str, system: ab.System, positions: dict[str, int]) -> None:
    """A line for each kind of role; the first pass, which warms caches, is not counted."""
    group = check(system).group
    for kind, position in positions.items():
        role = group.member(position)

        def work(role: int = role) -> object:
            return project(check(system), role)

        work()
        tracemalloc.start()
        work()
        peak_bytes = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        figures = measure(work, ITERATIONS)
        say({"system": label, "role": kind, "n": len(group), **figures, "peak_bytes": peak_bytes})


def command(role: int) -> None:
    """The whole process, from the shell's view."""
    argv = [sys.executable, "-m", "alpha_build", "project", str(FLEET), "--role", str(role)]

    def work() -> object:
        return subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)

    say({"system": "alpha-build project", "role": role, "n": 200_000, **measure(work, COMMANDS)})


def say(line: dict[str, object]) -> None:
    print(json.dumps(line), flush=True)


def main() -> None:
    for members in (10, 1_000, 200_000):
        plan("tree of fan-out 64", tree(members), {"root": 0, "leaf": members - 1})
    irregular = load_system(str(FLEET))
    plan("irregular group", irregular, {"root": 0, "leaf": 199_999})
    command(123_456)


if __name__ == "__main__":
    main()
