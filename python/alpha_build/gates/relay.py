"""Gates relay-choice and repeat: a word agreed on and passed on, and a loop that stays a loop."""

from __future__ import annotations

import numpy as np

from alpha_build import paths
from alpha_build.gates.bench import Bench
from alpha_build.gates.gate import Gate, expect
from alpha_build.gates.peer import F32, SERVICE_REGION, WORD, Head, Peer, seal
from alpha_build.gates.sums import complete
from alpha_build.gates.systems import summing

ROUNDS, TAKEN = 5, 3  # of relay.py: the first arm in rounds 0 to 2
X = np.ones(1024, "<f4").tobytes()
TWICE = np.full(1024, 2, "<f4").tobytes()
WORD_1 = b"\x01" + bytes(7)


def relay_text() -> str:
    return (paths.runtime() / "examples" / "relay.py").read_text()


def play_role_1(one: Peer, *, close: bool = True) -> None:
    """What role 1 of relay.py does: the Choice is region 0, the transfers of its first arm are 1 and 2."""
    for round_ in range(ROUNDS):
        if one.receive(0, 0, round_ + 1, WORD, 8) == WORD_1:
            x = one.receive(0, 1, round_ + 1, F32, 4096)
            one.send(0, 2, round_ + 1, F32, (np.frombuffer(x, "<f4") * np.float32(2)).tobytes())
    if close:
        one.close(0)


def play_root(zero: Peer, *, close: bool = True) -> None:
    """The authority: three rounds to role 1, two to role 2, and role 1's answer checked."""
    for role in (1, 2):
        came = zero.accept(role)
        expect(came == seal(Head(zero.run, role, 0, SERVICE_REGION, 1, 0, 0, 0, 1), b""), "an opening frame")
    for round_ in range(ROUNDS):
        taken = round_ < TAKEN
        for role in (1, 2):
            zero.send(role, 0, round_ + 1, WORD, bytes([taken]) + bytes(7))
        if taken:
            zero.send(1, 1, round_ + 1, F32, X)
            expect(zero.receive(1, 2, round_ + 1, F32, 4096) == TWICE, f"round {round_}: not 2 everywhere")
        else:
            zero.send(2, 3, round_ + 1 - TAKEN, F32, X)
    for role in (1, 2) if close else ():
        zero.close(role)


def _relay_choice(bench: Bench) -> None:
    dist = bench.dist(relay_text())
    complete(dist)
    bench.say("examples/relay.py: three roles complete")
    with bench.starting() as start, bench.peer(dist, 1) as one:
        root = start(dist, 0)
        two = start(dist, 2, [root.ports[1]])
        one.connect(0, root.ports[0])
        play_role_1(one)
        for ended in (root.end(), two.end()):
            expect(ended.status == 0, ended.said)
    bench.say("role 1 by a participant written apart, in Python: complete")
    with bench.starting() as start, bench.peer(dist, 0) as zero:
        ports = zero.bind([1, 2])
        leaves = [start(dist, 1, [ports[0]]), start(dist, 2, [ports[1]])]
        play_root(zero)
        for ended in (leaf.end() for leaf in leaves):
            expect(ended.status == 0, ended.said)
    bench.say("the authority by that participant: the word decides, and each arm's transfers are right")


def _repeat(bench: Bench) -> None:
    sizes = {}
    for rounds in (4, 200_000):
        dist = bench.dist(summing(2, "Pair()", rounds=rounds, shown=False))
        sizes[rounds] = [entry["bytes"] for entry in dist.manifest["roles"]]
    expect(
        sizes[4] == sizes[200_000], f"executables of 4 rounds have {sizes[4]} bytes, others {sizes[200_000]}"
    )
    outcome = complete(bench.dist(summing(2, "Pair()", rounds=4, shown=False)))
    outcome = complete(bench.dist(summing(2, "Pair()", rounds=5_000, shown=False)))
    bench.say(f"4 and 200,000 rounds: {sizes[4]} bytes; 5,000 rounds complete in {outcome.seconds:.1f} s")


GATES = (
    Gate("relay-choice", "an agreed choice, passed on; beside a participant written apart", _relay_choice),
    Gate("repeat", "the count of rounds costs no byte of an executable", _repeat),
)
