"""Gate refusals: each lie of a hostile peer is refused by name, at both ends, on both instruction sets."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from alpha_build.build.toolchains import host_target
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, LeftOut, expect
from alpha_build.gates.peer import F32, SERVICE_REGION, WORD, Head, Peer, seal
from alpha_build.gates.processes import Ended
from alpha_build.gates.relay import TWICE, WORD_1, X, play_role_1, relay_text
from alpha_build.gates.sums import foreign_target

NAMES = {70: "frame", 71: "edge", 72: "version", 73: "bytes", 74: "truncated"}
FRAME_BYTES = 128 + 4096 + 32

# What a peer may say in one field of the header, and the class of the refusal.
LIES: dict[str, tuple[Callable[[Head], Head], int]] = {
    "magic": (lambda head: replace(head, magic=b"ALPHAFR2"), 70),
    "run": (lambda head: replace(head, run=bytes(32)), 70),
    "run, last byte": (lambda head: replace(head, run=head.run[:-1] + bytes([head.run[-1] ^ 1])), 70),
    "reserved bytes": (lambda head: replace(head, zero=bytes(27) + b"\x01"), 70),
    "sender": (lambda head: replace(head, sender=head.sender + 7), 71),
    "receiver": (lambda head: replace(head, receiver=head.receiver + 7), 71),
    "region": (lambda head: replace(head, region=head.region + 1), 71),
    "total": (lambda head: replace(head, total=2 * head.total), 71),
    "element": (lambda head: replace(head, element=4), 71),
    "version": (lambda head: replace(head, version=head.version + 1), 72),
    "version, replayed": (lambda head: replace(head, version=0), 72),
    "offset": (lambda head: replace(head, offset=8), 72),
    "extent": (lambda head: replace(head, extent=8), 73),
}


@dataclass(frozen=True)
class Case:
    name: str
    sent: bytes
    status: int
    said: str = ""  # must be part of the line
    closes: bool = False  # the peer closes after it


def cases(head: Head, payload: bytes) -> Iterator[Case]:
    """Everything that is not the one frame that must come."""
    true = seal(head, payload)
    for name, (lie, status) in LIES.items():
        yield Case(name, seal(lie(head), payload), status, name.partition(",")[0])
    for place in (0, 127, 128, 4095 + 128, 4096 + 128, FRAME_BYTES - 1):
        flipped = bytearray(true)
        flipped[place] ^= 1
        yield Case(f"byte {place} flipped", bytes(flipped), 70 if place < 128 else 73)
    for count in (0, 1, 127, 128, 200, 4096 + 128, FRAME_BYTES - 1):
        yield Case(f"closed after {count} bytes", true[:count], 74, closes=True)


def check(ended: Ended, role: int, edge: str, case: Case) -> None:
    start = f"alpha-build: role {role}: refused ({NAMES[case.status]}): edge {edge}: "
    expect(ended.status == case.status, f"{case.name}: exit {ended.status}, not {case.status}: {ended.said}")
    expect(ended.said.startswith(start) and case.said in ended.said, f"{case.name}: {ended.said}")
    expect(ended.said.count("\n") == 1, f"{case.name}: more than one line: {ended.said}")


def lie_to_higher(bench: Bench, dist: Dist, case: Case) -> None:
    """Role 1 dials us; the first transfer of x is what the case sends."""
    with bench.starting() as start, bench.peer(dist, 0) as zero:
        one = start(dist, 1, zero.bind([1]))
        zero.accept(1)
        zero.send(1, 0, 1, WORD, WORD_1)
        _send(zero, 1, case)
        check(one.end(), 1, "0->1 region 1", case)


def lie_to_lower(bench: Bench, dist: Dist, case: Case) -> None:
    """We dial the root, as roles 1 and 2; role 1's answer is what the case sends."""
    with bench.starting() as start, bench.peer(dist, 1) as one, bench.peer(dist, 2) as two:
        root = start(dist, 0)
        one.connect(0, root.ports[0])
        two.connect(0, root.ports[1])
        one.receive(0, 0, 1, WORD, 8)
        one.receive(0, 1, 1, F32, 4096)
        _send(one, 0, case)
        check(root.end(), 0, "1->0 region 2", case)


def _send(peer: Peer, to: int, case: Case) -> None:
    peer.connections[to].sendall(case.sent)
    if case.closes:
        peer.connections.pop(to).close()


def higher_cases(dist: Dist) -> list[Case]:
    return list(cases(Head(dist.run_identity, 0, 1, 1, 1, 0, 4096, 4096, F32), X))


def lower_cases(dist: Dist) -> list[Case]:
    return list(cases(Head(dist.run_identity, 1, 0, 2, 1, 0, 4096, 4096, F32), TWICE))


def check_words(bench: Bench, dist: Dist) -> None:
    for word in (b"\x02" + bytes(7), b"\x01" + bytes(6) + b"\x01"):
        with bench.starting() as start, bench.peer(dist, 0) as zero:
            one = start(dist, 1, zero.bind([1]))
            zero.accept(1)
            zero.send(1, 0, 1, WORD, word)
            check(one.end(), 1, "0->1 region 0", Case("a word that is not canonical", b"", 73, "word"))


def check_another_run(bench: Bench, dist: Dist) -> None:
    """The root answers an opening frame with its own before it refuses: both sides see both identities."""
    with bench.starting() as start, bench.peer(dist, 1) as one:
        root = start(dist, 0)
        other = one.run[:-1] + bytes([one.run[-1] ^ 1])
        came = one.connect(0, root.ports[0], seal(replace(one.service(0, 1), run=other), b""))
        expect(came == seal(Head(one.run, 0, 1, SERVICE_REGION, 1, 0, 0, 0, 1), b""), "no opening frame came")
        ended = root.end()
        names = f"expected run {one.run.hex()}, got {other.hex()}"
        expect(ended.status == 70 and names in ended.said, ended.said)


def check_strangers(bench: Bench, dist: Dist) -> None:
    """Four kinds that come before the peer: silent, closing, talkative, and one that says seven bytes."""
    with bench.starting() as start, bench.peer(dist, 1) as one:
        root = start(dist, 0)
        strangers = [socket.create_connection(("127.0.0.1", root.ports[0])) for _ in range(4)]
        strangers[0].close()
        strangers[1].sendall(b"GET / HTTP/1.1\r\n" * 20)
        strangers[2].sendall(b"ALPHAFR")
        strangers[2].close()
        two = start(dist, 2, [root.ports[1]])
        one.connect(0, root.ports[0])
        play_role_1(one)
        for stranger in strangers:
            stranger.close()
        ended = root.end()
        expect(ended.status == 0 and ended.said.count("stranger on edge 1->0: 127.0.0.1:") >= 3, ended.said)
        expect(two.end().status == 0, "role 2 did not complete")


def check_trailing_byte(bench: Bench, dist: Dist) -> None:
    with bench.starting() as start, bench.peer(dist, 1) as one:
        root = start(dist, 0)
        start(dist, 2, [root.ports[1]])
        one.connect(0, root.ports[0])
        play_role_1(one, close=False)
        one.connections[0].sendall(seal(one.service(0, 2), b"") + b"!")
        ended = root.end()
        expect(ended.status == 73 and "closing" in ended.said, ended.said)


def relay_on(target: str) -> str:
    """relay.py with the two roles that are lied to on this instruction set."""
    pairing = f'pairing={{0: ab.Target("{target}"), 1: ab.Target("{target}")}}'
    return relay_text().replace("topology=ab.Star()", f"topology=ab.Star(), {pairing}")


def _refusals(bench: Bench) -> None:
    check_target(bench, host_target())
    try:
        check_target(bench, foreign_target())
    except LeftOut as why:
        bench.say(f"the other instruction set is left out: {why}")


def check_target(bench: Bench, target: str) -> None:
    dist = bench.dist(relay_on(target))
    for case in higher_cases(dist):
        lie_to_higher(bench, dist, case)
    for case in lower_cases(dist):
        lie_to_lower(bench, dist, case)
    check_words(bench, dist)
    check_another_run(bench, dist)
    check_strangers(bench, dist)
    check_trailing_byte(bench, dist)
    count = len(higher_cases(dist))
    bench.say(
        f"{target}: {count} lies and breaks at each end of an edge, 2 words, another run, a trailing byte: "
        "refused with the right class and edge; 4 strangers dropped, the peer accepted"
    )


GATES = (Gate("refusals", "each lie of a hostile peer is refused by name", _refusals),)
