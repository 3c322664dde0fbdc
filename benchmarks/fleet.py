"""Training steps of several roles against PyTorch's DistributedDataParallel over gloo, in turn.

    python benchmarks/fleet.py [--n 2,4] [--turns 3]

JSON lines on standard output: microseconds of one step (of executables' whole run divided by its steps, of
DDP's steps alone), and from a start to the end of the first step.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from functools import partial
from pathlib import Path

from peers.others import data_parallel, has_torch
from peers.own import launch

from learner import STEPS, Seconds, Turn, in_turn, made, sample_bytes, whole_run

DDP = "DDP"
STARTS = 5


class DataParallel:
    """Turns of the peer; how long it took to its first step is kept."""

    def __init__(self, model: str, members: int, steps: int) -> None:
        self.model, self.members, self.steps = model, members, steps
        self.first_s: list[float] = []

    def turn(self) -> Seconds:
        (line,) = data_parallel(self.members, self.model, self.steps)
        self.first_s.append(line["first_s"])
        return [line["wall_s"] / self.steps], [line["cpu_s"] / self.steps]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", default="2,4")
    parser.add_argument("--turns", type=int, default=3)
    given = parser.parse_args()
    if not has_torch(DDP):
        return
    with tempfile.TemporaryDirectory() as folder:
        for members in map(int, given.n.split(",")):
            for name, steps in STEPS.items():
                dist = made(name, members, steps, Path(folder))
                peer = DataParallel(name, members, max(steps // 5, 10))
                systems: dict[str, Turn] = {
                    name: partial(whole_run, partial(launch, dist, members), steps),
                    f"{DDP}, {name}": peer.turn,
                }  # fmt: skip
                in_turn(given.turns, systems, sample_bytes(name), *systems, members)
                tell_start(name, members, made(name, members, 1, Path(folder)), peer.first_s)


def tell_start(name: str, members: int, dist: Path, peer_s: list[float]) -> None:
    own_s = [whole_run(partial(launch, dist, members), 1)[0][0] for _ in range(STARTS)]
    for system, walls in ((f"first step, {name}", own_s), (f"first step, {DDP}, {name}", peer_s)):
        line = {"system": system, "n": members, "median_us": round(1e6 * statistics.median(walls), 1)}
        print(json.dumps(line | {"min_us": round(1e6 * min(walls), 1), "iters": len(walls)}), flush=True)


if __name__ == "__main__":
    main()
