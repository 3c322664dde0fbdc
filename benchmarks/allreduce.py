"""All-reduce of f32 over loopback TCP: ours, hashed and checked, against gloo and Open MPI in turn.

    python benchmarks/allreduce.py [--n 2,4,8] [--sizes 4,1024,...] [--rounds 5] [--seconds 0.3] [--shared]

With --shared the same through shared memory, against Open MPI's and the floor of such memory.

JSON lines on standard output, the last one of each system and size over all turns; a table on standard error.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
from typing import Any

from peers.floor import Rates, rates, shared_rates
from peers.others import found, found_shared
from peers.own import Own
from report import table

SIZES = "4,1024,65536,1048576,16777216,67108864"
DEPTH = {"pair": 0.5, "star": 1, "mesh": 1}  # edges from the root to the farthest; a pair crosses once in all
US = 1e6
SHORT_US = 20  # below, calls and latency decide, which the work of bytes leaves out
OURS = "alpha-build "
Lines = list[dict[str, Any]]


def rounds_of(size: int, members: int) -> int:
    """About what fits into a third of a second, a peer's turn."""
    return max(4, int(3e8 / (1400 * members**2 + members * size)))


def tree_depth(members: int) -> int:
    return max(1, math.ceil(math.log2(members + 1)) - 1)


def main(*, shared: bool = False) -> None:
    """`shared`: as if --shared had been given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", default="2,4,8")
    parser.add_argument("--sizes", default=SIZES)
    parser.add_argument("--rounds", type=int, default=5, help="how often each system has its turn")
    parser.add_argument("--seconds", type=float, default=0.3, help="of a peer, for one size in one turn")
    parser.add_argument("--shared", action="store_true", default=shared, help="through shared memory")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    peers = found_shared() if given.shared else found()
    got: dict[tuple[int, int, str], Lines] = {}
    floors: dict[int, list[Rates]] = {}
    for members in map(int, given.n.split(",")):
        shapes = ["pair"] if members == 2 else ["star", "tree", "mesh"]
        rounds = {size: rounds_of(size, members) for size in sizes}
        own = [Own(members, shape, rounds, shared=given.shared) for shape in shapes]
        for _ in range(given.rounds):
            measured = shared_rates() if given.shared else rates()
            floors.setdefault(members, []).append(measured)
            say(measured.line())
            lines = [line for each in own for line in each.lines()]
            for peer in peers.values():
                lines += peer(members, sizes, given.seconds)
            for line in lines:
                say(line)
                got.setdefault((members, line["bytes"], line["system"]), []).append(line)
    whole = summary(got, floors)
    for line in whole:
        say(line)
    print(table(whole), file=sys.stderr)


def say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def summary(got: dict[tuple[int, int, str], Lines], floors: dict[int, list[Rates]]) -> Lines:
    """Medians over the turns; the floor is that of the best turn's rates: a bound from slow ones is none."""
    middle = {key: statistics.median(line["median_us"] for line in lines) for key, lines in got.items()}
    found: Lines = []
    for members, size, system in sorted(got):
        lines = got[members, size, system]
        medians = [line["median_us"] for line in lines]
        median, cpu = middle[members, size, system], statistics.median(line["cpu_us"] for line in lines)
        line = {
            "system": system, "n": members, "bytes": size, "turns": len(lines), "median_us": round(median, 1),
            "turns_us": [min(medians), max(medians)], "min_us": min(each["min_us"] for each in lines),
            "cpu_us": round(cpu, 1),
        }  # fmt: skip
        found.append(line)
        if not system.startswith(OURS):
            continue
        peers = [
            value
            for (n, b, name), value in middle.items()
            if (n, b) == (members, size) and not name.startswith(OURS)
        ]
        if peers:
            line["ratio"] = round(median / min(peers), 2)
        depth = DEPTH.get(system.split()[1], tree_depth(members))
        wall = US * min(each.wall(members, size, depth) for each in floors[members])
        work = US * min(each.work(members, size) for each in floors[members])
        line |= {"floor_us": round(wall, 1), "floor_ratio": round(median / wall, 2)}
        if work > SHORT_US:
            line["cpu_floor_ratio"] = round(cpu / work, 2)
    return found


if __name__ == "__main__":
    main()
