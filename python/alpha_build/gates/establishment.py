"""Gates establishment-order and absent-peer: who may come when, and what is said of who does not."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import permutations

from alpha_build.build.bind import bind
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, expect
from alpha_build.gates.processes import Ended, Started
from alpha_build.gates.relay import relay_text
from alpha_build.gates.systems import IMPATIENT

APART_S = 0.1  # between two starts: the earlier one has long dialled in vain
BUDGET_S = 1.0
BUSY_S = 10.0  # what a busy machine may add before a process runs, and after it ended


def bound(bench: Bench, dist: Dist) -> Dist:
    """A copy with fixed ports, each role on an address of its own: no launcher is needed."""
    copied = dist.copy(bench.new_folder() / "dist")
    roles = {}
    with ExitStack() as held:
        for place, role in enumerate(dist.roles):
            address, ports = f"127.0.0.{2 + place}", {}
            for edge in dist.entry(role)["edges"]:
                if edge["side"] == "lower":
                    free = held.enter_context(socket.create_server((address, 0)))
                    ports[str(edge["peer"])] = free.getsockname()[1]
            roles[str(role)] = {"address": address, "ports": ports}
    addresses = copied.path.parent / "addresses.json"
    addresses.write_text(json.dumps({"roles": roles}))
    bind(copied.path, addresses)
    return Dist.read(copied.path)


def started_apart(bench: Bench, dist: Dist, order: Sequence[int]) -> list[Ended]:
    with bench.starting() as start:
        started: list[Started] = []
        for role in order:
            started.append(start(dist, role))
            time.sleep(APART_S)
        return [each.end() for each in started]


def _order(bench: Bench) -> None:
    dist = bound(bench, bench.dist(relay_text()))
    for order in permutations(dist.roles):
        for role, ended in zip(order, started_apart(bench, dist, order), strict=True):
            expect(ended.status == 0, f"started in order {order}: role {role}: {ended.said}")
    places = ", ".join(f"role {role} at 127.0.0.{2 + place}" for place, role in enumerate(dist.roles))
    bench.say(f"{places}, fixed ports, no launcher: complete in all 6 orders of starting")
    root = dist.entry(0)["edges"][0]
    with socket.create_server((root["address"], root["port"])), bench.starting() as start:
        ended = start(dist, 0).end()
    place = f"role 0: admission refused: edge 1->0: cannot listen on {root['address']}:{root['port']}: "
    expect(ended.status == 78 and f"{place}address in use" in ended.said, ended.said)
    bench.say(ended.said.strip())


def _absent(bench: Bench) -> None:
    dist = bench.dist(IMPATIENT)
    check_absent_higher(bench, dist, 0)
    check_absent_lower(bench, dist, 1)
    with bench.starting() as start:
        ended = start(dist, 1).end()
        expect(ended.status == 75 and "no port on descriptor 0" in ended.said, ended.said)
    bench.say(f"role 1 without a port: {ended.said.strip()}")


def check_absent_higher(bench: Bench, dist: Dist, role: int) -> None:
    """Nobody dials the role, which dials nobody."""
    with bench.starting() as start:
        begin = time.monotonic()
        ended = start(dist, role).end()
        _in_time(ended, time.monotonic() - begin, 76, f"role {role}: budget exhausted (accept): edge ")
    bench.say(ended.said.strip().splitlines()[-1])


def check_absent_lower(bench: Bench, dist: Dist, role: int) -> None:
    """The port that the role is told is held by nobody who listens."""
    lower = [edge["peer"] for edge in dist.entry(role)["edges"] if edge["side"] == "higher"]
    with bench.starting() as start, ExitStack() as held:
        ports = []
        for _ in lower:  # bound, so that nobody else gets the port, and not listening
            silent = held.enter_context(socket.socket())
            silent.bind(("127.0.0.1", 0))
            ports.append(silent.getsockname()[1])
        begin = time.monotonic()
        ended = start(dist, role, ports).end()
        seconds = time.monotonic() - begin
        _in_time(ended, seconds, 75, f"role {role}: budget exhausted (connect): edge {lower[0]}->{role}")
        expect(f"127.0.0.1:{ports[0]}" in ended.said, ended.said)
    bench.say(ended.said.strip().splitlines()[-1])


def _in_time(ended: Ended, seconds: float, status: int, said: str) -> None:
    expect(ended.status == status and said in ended.said, f"exit {ended.status}: {ended.said}")
    late = BUDGET_S + BUSY_S
    expect(0.9 * BUDGET_S < seconds < late, f"after {seconds:.2f} s, the budget is {BUDGET_S:g} s")


def _absent_dist(bench: Bench, dist: Dist) -> None:
    """The root of a user's build without its peers, and a role that dials without its lower peers."""
    short = dist.impatient(bench.new_folder() / "dist", BUDGET_S)
    for role in (short.roles[0], short.roles[-1]):
        edges = short.entry(role)["edges"]
        if not edges or any(edge["port"] for edge in edges):
            bench.say(f"role {role} has {'fixed ports' if edges else 'no edge'}: passed over")
        elif any(edge["side"] == "higher" for edge in edges):
            check_absent_lower(bench, short, role)
        else:
            check_absent_higher(bench, short, role)


GATES = (
    Gate("establishment-order", "with fixed ports roles start in any order, without a launcher", _order),
    Gate("absent-peer", "who waits in vain gives up in time and names the other", _absent, _absent_dist),
)
