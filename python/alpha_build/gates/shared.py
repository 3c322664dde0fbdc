"""Gate shared-memory: edges through rings give the same bits and refusals, and have refusals of their own."""

from __future__ import annotations

import os
import signal
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace

from alpha_build.build.toolchains import host_target
from alpha_build.gates.abort import check_signal
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, LeftOut, expect
from alpha_build.gates.peer import F32, seal
from alpha_build.gates.processes import Ended, Started
from alpha_build.gates.refusals import higher_cases, lie_to_higher, lie_to_lower, lower_cases, relay_on
from alpha_build.gates.relay import play_role_1, play_root
from alpha_build.gates.ring import (
    MEMORY_BYTES,
    TAKEN,
    WRITTEN,
    SharingPeer,
    local_socket,
    new_memory,
    ring_name,
)
from alpha_build.gates.sums import check_sum, foreign_target
from alpha_build.gates.systems import summing

# More than a ring holds, in one direction.
BULK = """\
import alpha_build as ab
system = ab.System(
    name="bulk", members=2, topology=ab.Pair(),
    regions={"g": ab.Region("f32", (600_000,), initial=1.0)},
    protocol=ab.Transfer(0, 1, "g"),
    budgets=ab.Budgets(connect=20, accept=20, wait=20, frame=20),
)
"""
BULK_BYTES = 2_400_000
ONES = struct.pack("<f", 1.0) * (BULK_BYTES // 4)
COUNTS = (BULK_BYTES, 2**63, 2**64 - 1)  # that nobody can have reached: the last is one back from 0
BROKEN = "refused (bytes): edge 0->1 region 0: counts of a ring that cannot be"
NOBODY = 65534
_NOBODY = """
import os, socket, sys
act, name, user = sys.argv[1], bytes.fromhex(sys.argv[2]), int(sys.argv[3])
os.setuid(user)
end = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
if act == "connect":
    end.connect(name)
else:
    end.bind(name)
    end.listen()
print("!", end="", flush=True)
sys.stdin.read()
"""


def _bits(bench: Bench) -> None:
    for members, fanout, topology in ((2, 1, "Pair()"), (4, 3, "Star()"), (7, 2, "Tree(fanout=2)")):
        check_sum(bench, members, fanout, topology, shared=True)
    try:
        pairing = f'{{1: ab.Target("{foreign_target()}")}}'
        check_sum(bench, 4, 3, "Star()", pairing=pairing, shared=True)
    except LeftOut as why:
        bench.say(f"the other instruction set is left out: {why}")


def _written_apart(bench: Bench, relay: Dist, bulk: Dist) -> None:
    """Each end by a participant in Python, which finds nothing on the connection but what closes it."""
    with bench.starting() as start, _peer(bench, bulk, 1) as one:
        sender = start(bulk, 0)
        one.connect(0, sender.ports[0])
        expect(one.receive(0, 0, 1, F32, BULK_BYTES) == ONES, "another payload")
        one.close(0)
        _completed(sender)
    with bench.starting() as start, _peer(bench, bulk, 0) as zero:
        receiver = start(bulk, 1, zero.bind([1]))
        zero.accept(1)
        zero.send(1, 0, 1, F32, ONES)
        zero.close(1)
        _completed(receiver)
    with bench.starting() as start, _peer(bench, relay, 1) as one:
        root = start(relay, 0)
        two = start(relay, 2, [root.ports[1]])
        one.connect(0, root.ports[0])
        play_role_1(one)
        _completed(root, two)
    with bench.starting() as start, _peer(bench, relay, 0) as zero:
        ports = zero.bind([1, 2])
        leaves = [start(relay, 1, [ports[0]]), start(relay, 2, [ports[1]])]
        play_root(zero)
        _completed(*leaves)
    bench.say("beside a participant written apart, at either end: complete, no frame beside the ring")


def _lies(bench: Bench, relay: Dist) -> None:
    higher, lower = higher_cases(relay), lower_cases(relay)
    for case in higher:
        lie_to_higher(bench, relay, case)
    for case in lower:
        lie_to_lower(bench, relay, case)
    bench.say(f"{len(higher)} lies and breaks at each end, through the ring: refused as over TCP")


def _counts(bench: Bench, bulk: Dist) -> None:
    for count in COUNTS:
        with bench.starting() as start, _peer(bench, bulk, 0) as zero:
            receiver = start(bulk, 1, zero.bind([1]))
            zero.accept(1)
            zero.rings[1].tell(WRITTEN, count)
            _refused(receiver.end(), 73, BROKEN)
        with bench.starting() as start, _peer(bench, bulk, 1) as one:
            sender = start(bulk, 0)
            one.connect(0, sender.ports[0])
            one.rings[0].tell(TAKEN, count)
            _refused(sender.end(), 73, BROKEN)
    bench.say(f"{len(COUNTS)} counts that cannot be, at each end: refused")


def _offers(bench: Bench, bulk: Dist) -> None:
    """What the lower role gets in place of a ring."""
    pipe = os.pipe()
    offers = {
        "no memory came with its opening frame": [],
        "its memory is not memory without a name": [pipe[0]],
        "its memory is not sealed": [new_memory(seals=0)],
        "its memory is of another size": [new_memory(MEMORY_BYTES - 4096)],
    }
    for said, memory in offers.items():
        with _opened(bench, bulk) as (one, role, port, _):
            one.offer(0, port, *memory)
            _refused(role.end(), 78, f"admission refused: edge 1->0: no ring: {said}")
    for fd in {*pipe, *(fd for memory in offers.values() for fd in memory)}:
        os.close(fd)
    with _opened(bench, bulk) as (one, role, port, _):
        own = one.service(0, 1)
        answer = one.offer(0, port, opening=seal(replace(own, run=bytes(32)), b"")).recv(161)
        expect(answer == seal(replace(own, sender=0, receiver=1), b""), "no opening frame came in answer")
        _refused(role.end(), 70, "refused (frame): edge 1->0 opening: expected run")
    with _opened(bench, bulk) as (one, role, port, _):
        one.connections[0].sendall(b"!")
        _refused(role.end(), 78, "edge 1->0: no ring: the peer sends over the connection")
    with _opened(bench, bulk) as (one, role, port, _):
        one.connections.pop(0).close()
        _refused(role.end(), 74, "refused (truncated): edge 1->0: end of stream before there was a ring")
    bench.say(f"{len(offers)} things that are no ring, another run, frames in its place: refused by name")


def _strangers(bench: Bench, bulk: Dist) -> None:
    """Silent, closing and talkative ones, and one of another user, before the peer."""
    with _opened(bench, bulk) as (one, role, port, came):
        strangers = [local_socket(5) for _ in range(3)]
        for stranger in strangers:
            stranger.connect(ring_name(port))
        with suppress(BrokenPipeError):  # dropped for the next already
            strangers[1].send(b"GET / HTTP/1.1\r\n" * 20)
        strangers[2].close()
        with _as_nobody("connect", port) as tried:
            one.give_ring(0, port, came)
            one.receive(0, 0, 1, F32, BULK_BYTES)
            one.close(0)
            ended = role.end()
        seen = ended.said.count("stranger on the ring of edge 1->0: ")
        expect(ended.status == 0 and seen >= 2 + tried, ended.said)
        expect(not tried or f"of user {NOBODY}" in ended.said, ended.said)
        for stranger in strangers:
            stranger.close()
    with _opened(bench, bulk) as (one, role, port, came):
        for _ in range(40):
            with local_socket(5) as stranger:
                stranger.connect(ring_name(port))
        one.give_ring(0, port, came)
        one.receive(0, 0, 1, F32, BULK_BYTES)
        one.close(0)
        ended = role.end()
        expect(
            ended.status == 0 and ": 8 further strangers on the ring of edge 1->0" in ended.said, ended.said
        )
    bench.say(f"{seen} and 40 strangers on the ring's name dropped, the peer accepted")


def _elsewhere(bench: Bench, bulk: Dist) -> None:
    """The higher role meets a peer on TCP whose ring's name nobody holds, or another user."""
    with bench.starting() as start, bench.peer(bench.dist(BULK), 0) as zero:
        (port,) = zero.bind([1])
        role = start(bulk, 1, [port])
        zero.accept(1)
        said = f"edge 0->1: no ring: nobody listens on @alpha-build 127.0.0.1:{port}: the peer is on another"
        _refused(role.end(), 78, said)
    with bench.starting() as start, bench.peer(bench.dist(BULK), 0) as zero:
        (port,) = zero.bind([1])
        with _as_nobody("listen", port) as tried:
            if tried:
                role = start(bulk, 1, [port])
                zero.accept(1)
                _refused(role.end(), 78, f"is held by user {NOBODY}, this is user 0")
    bench.say("a peer that shares no memory, and a name that another user holds: refused by name")


@contextmanager
def _peer(bench: Bench, dist: Dist, role: int) -> Iterator[SharingPeer]:
    with bench.peer(dist, role) as made:
        assert isinstance(made, SharingPeer), "the build's edges are shared"
        yield made


@contextmanager
def _opened(bench: Bench, bulk: Dist) -> Iterator[tuple[SharingPeer, Started, int, bytes]]:
    """Us, role 0 of the bulk transfer, connected to us without a ring, its port, its opening frame."""
    with bench.starting() as start, _peer(bench, bulk, 1) as one:
        role = start(bulk, 0)
        (port,) = role.ports
        came = one.connect_only(0, port)
        yield one, role, port, came


@contextmanager
def _as_nobody(act: str, port: int) -> Iterator[bool]:
    """A process of another user that connects to a ring's name or listens on it, and stays; else False."""
    if os.geteuid() != 0:
        yield False
        return
    argv = [sys.executable, "-c", _NOBODY, act, ring_name(port).hex(), str(NOBODY)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        try:
            expect(process.stdout.read(1) == b"!", "the process of another user failed")
            yield True
        finally:
            process.stdin.close()


def _completed(*roles: Started) -> None:
    for ended in [role.end() for role in roles]:
        expect(ended.status == 0, ended.said)


def _refused(ended: Ended, status: int, said: str) -> None:
    expect(ended.status == status and said in ended.said, f"exit {ended.status}, not {status}: {ended.said}")


def _shared_memory(bench: Bench) -> None:
    relay, bulk = bench.shared(relay_on(host_target())), bench.shared(BULK)
    _bits(bench)
    _written_apart(bench, relay, bulk)
    _lies(bench, relay)
    _counts(bench, bulk)
    _offers(bench, bulk)
    _strangers(bench, bulk)
    _elsewhere(bench, bulk)
    seven = bench.shared(summing(7, "Tree(fanout=2)", rounds=10_000_000, shown=False, wait_s=3))
    check_signal(bench, seven, 1, signal.SIGKILL, "killed")
    check_signal(bench, seven, 6, signal.SIGSTOP, "stopped")


GATES = (Gate("shared-memory", "edges through memory: the same bits, the same refusals", _shared_memory),)
