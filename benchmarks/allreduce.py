"""All-reduce of f32 over loopback TCP: ours, hashed and checked, against gloo and Open MPI in turn.

    python benchmarks/allreduce.py [--n 2,4,8] [--sizes 4,1024,...] [--rounds 5] [--seconds 0.3]

JSON lines on standard output, a table with ratios on standard error.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from typing import Any

from peers.floor import Rates, rates
from peers.others import found
from peers.own import Own

SIZES = "4,1024,65536,1048576,16777216,67108864"
DEPTH = {"pair": 0.5, "star": 1, "mesh": 1}  # edges from the root to the farthest; a pair crosses once in all
US = 1e6
SHORT_US = 20  # below, calls and latency decide, which the work of bytes leaves out
HEAD = (
    "n",
    "bytes",
    "system",
    "median us",
    "of rounds",
    "least us",
    "processor us",
    "/best peer",
    "/floor",
    "cpu/floor",
)


def rounds_of(size: int, members: int) -> int:
    """About what fits into a third of a second."""
    return max(4, min(4000, int(4e8 / (members * (size + 60_000)))))


def tree_depth(members: int) -> int:
    return max(1, math.ceil(math.log2(members + 1)) - 1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", default="2,4,8")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5, help="how often each system has its turn")
    parser.add_argument("--seconds", type=float, default=0.3, help="of a peer, for one size in one turn")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    peers = found()
    got: dict[tuple[int, int, str], list[dict[str, Any]]] = {}
    floors: dict[int, list[Rates]] = {}
    for members in map(int, given.n.split(",")):
        shapes = ["pair"] if members == 2 else ["star", "tree", "mesh"]
        own = [Own(members, shape, {size: rounds_of(size, members) for size in sizes}) for shape in shapes]
        for _ in range(given.rounds):
            measured = rates()
            floors.setdefault(members, []).append(measured)
            say(measured.line())
            lines = [line for each in own for line in each.lines()]
            for peer in peers.values():
                lines += peer(members, sizes, given.seconds)
            for line in lines:
                say(line)
                got.setdefault((members, line["bytes"], line["system"]), []).append(line)
    print(table(got, floors), file=sys.stderr)


def say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def table(got: dict[tuple[int, int, str], list[dict[str, Any]]], floors: dict[int, list[Rates]]) -> str:
    """Medians over the turns; the floor is the one of the best rates that the run saw."""
    middle = {key: statistics.median(line["median_us"] for line in lines) for key, lines in got.items()}
    rows: list[tuple[str, ...]] = [HEAD]
    for members, size, system in sorted(got):
        lines = got[members, size, system]
        others = [
            value
            for (n, b, name), value in middle.items()
            if (n, b) == (members, size) and "alpha" not in name
        ]
        ours = system.startswith("alpha-build ")
        shape = system.removeprefix("alpha-build ")
        median, cpu = middle[members, size, system], statistics.median(line["cpu_us"] for line in lines)
        medians = [line["median_us"] for line in lines]
        ratios = ["", "", ""]
        if ours:
            depth = DEPTH.get(shape, tree_depth(members))
            wall = US * min(each.wall(members, size, depth) for each in floors[members])
            work = US * min(each.work(members, size) for each in floors[members])
            ratios = [
                f"{median / min(others):.2f}" if others else "",
                f"{median / wall:.2f}",
                f"{cpu / work:.2f}" if work > SHORT_US else "",
            ]
        spread = f"{min(medians):.1f}-{max(medians):.1f}"
        least = min(line["min_us"] for line in lines)
        rows.append(
            (str(members), str(size), system, f"{median:.1f}", spread, f"{least:.1f}", f"{cpu:.1f}", *ratios)
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


if __name__ == "__main__":
    main()
