"""Executables beside a peer written from the docs alone: they interoperate, and refuse each lie by name."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from foreign.peer import F32, SERVICE_REGION, WORD, Head, Peer, seal

pytestmark = pytest.mark.gates

FRAME, EDGE, VERSION, BYTES, TRUNCATED = 70, 71, 72, 73, 74
X = np.ones(1024, "<f4").tobytes()
WORD_1 = b"\x01" + bytes(7)


class Started:
    """A role's process, its announced ports, and how it ended."""

    def __init__(self, artifact: Path, lower_ports: list[int], announced: int, cwd: Path) -> None:
        self.process = subprocess.Popen(
            [artifact], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cwd
        )
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(struct.pack(f">{len(lower_ports)}H", *lower_ports))
        self.process.stdin.close()
        self.process.stdin = None
        self.ports = list(struct.unpack(f">{announced}H", self.process.stdout.read(2 * announced)))

    def end(self) -> tuple[int, str]:
        _, err = self.process.communicate(timeout=30)
        return self.process.returncode, err.decode()


@pytest.fixture
def started(relay_dist: Any, tmp_path: Path) -> Iterator[Any]:
    processes: list[Started] = []

    def start(role: int, lower_ports: list[int], announced: int) -> Started:
        processes.append(Started(relay_dist.artifact(role), lower_ports, announced, tmp_path))
        return processes[-1]

    yield start
    for each in processes:
        if each.process.poll() is None:
            each.process.kill()
            each.process.communicate()


@pytest.fixture
def peer(relay_dist: Any) -> Iterator[Any]:
    made: list[Peer] = []

    def make(role: int) -> Peer:
        made.append(Peer(role, bytes.fromhex(relay_dist.manifest["run"]), relay_dist.manifest["frame_bytes"]))
        return made[-1]

    yield make
    for each in made:
        each.abandon()


def relay_role_1(one: Peer) -> None:
    """What role 1 of relay.py does: the Choice is region 0, the transfers of its first arm are 1 and 2."""
    for round_ in range(5):
        word = one.receive(0, 0, round_ + 1, WORD, 8)
        if word == WORD_1:
            x = one.receive(0, 1, round_ + 1, F32, 4096)
            y = np.frombuffer(x, "<f4") * np.float32(2)
            one.send(0, 2, round_ + 1, F32, y.tobytes())
    one.close(0)


def test_a_foreign_higher_role_completes(started: Any, peer: Any) -> None:
    root = started(0, [], 2)
    two = started(2, [root.ports[1]], 0)
    one = peer(1)
    one.connect(0, root.ports[0])
    relay_role_1(one)
    assert root.end()[0] == 0
    assert two.end()[0] == 0


def test_a_foreign_root_completes(started: Any, peer: Any) -> None:
    """The authority in Python: three rounds to role 1, two to role 2, and role 1's answer checked."""
    zero = peer(0)
    ports = zero.bind([1, 2])
    one, two = started(1, [ports[0]], 0), started(2, [ports[1]], 0)
    for role in (1, 2):
        came = zero.accept(role)
        assert came == seal(Head(zero.run, role, 0, SERVICE_REGION, 1, 0, 0, 0, 1), b"")
    for round_ in range(5):
        word = bytes([round_ < 3]) + bytes(7)
        zero.send(1, 0, round_ + 1, WORD, word)
        zero.send(2, 0, round_ + 1, WORD, word)
        if round_ < 3:
            zero.send(1, 1, round_ + 1, F32, X)
            assert zero.receive(1, 2, round_ + 1, F32, 4096) == np.full(1024, 2, "<f4").tobytes()
        else:
            zero.send(2, 3, round_ - 2, F32, X)
    zero.close(1)
    zero.close(2)
    assert (one.end()[0], two.end()[0]) == (0, 0)


LIES = [
    ("magic", {"magic": b"ALPHAFR2"}, FRAME),
    ("run", {"run": bytes(32)}, FRAME),
    ("zero", {"zero": bytes(27) + b"\x01"}, FRAME),
    ("sender", {"sender": 2}, EDGE),
    ("receiver", {"receiver": 2}, EDGE),
    ("region", {"region": 2}, EDGE),
    ("total", {"total": 8192}, EDGE),
    ("element", {"element": 4}, EDGE),
    ("version", {"version": 2}, VERSION),
    ("offset", {"offset": 8}, VERSION),
    ("extent", {"extent": 8}, BYTES),
]


@pytest.mark.parametrize(("field", "lie", "code"), LIES, ids=[lie[0] for lie in LIES])
def test_each_lie_in_a_header_is_refused(
    started: Any, peer: Any, field: str, lie: dict[str, Any], code: int
) -> None:
    """Role 1 is the executable; the first transfer of x carries one wrong field."""
    zero = peer(0)
    one = started(1, zero.bind([1]), 0)
    zero.accept(1)
    zero.send(1, 0, 1, WORD, WORD_1)
    head = Head(zero.run, 0, 1, 1, 1, 0, 4096, 4096, F32)
    zero.connections[1].sendall(seal(replace(head, **lie), X))
    status, said = one.end()
    assert status == code, said
    name = {FRAME: "frame", EDGE: "edge", VERSION: "version", BYTES: "bytes"}[code]
    assert f"alpha-build: role 1: refused ({name}): edge 0->1 region 1: expected " in said
    assert field in said or field == "zero"
    assert said.count("\n") == 1


@pytest.mark.parametrize("at", [0, 127, 128, 4095 + 128, 4096 + 128, 4096 + 128 + 31])
def test_a_flipped_bit_is_refused(started: Any, peer: Any, at: int) -> None:
    zero = peer(0)
    one = started(1, zero.bind([1]), 0)
    zero.accept(1)
    zero.send(1, 0, 1, WORD, WORD_1)
    frame = bytearray(seal(Head(zero.run, 0, 1, 1, 1, 0, 4096, 4096, F32), X))
    frame[at] ^= 1
    zero.connections[1].sendall(frame)
    assert one.end()[0] == (FRAME if at < 128 else BYTES)


@pytest.mark.parametrize("word", [b"\x02" + bytes(7), b"\x01" + bytes(6) + b"\x01"])
def test_a_noncanonical_word_is_refused(started: Any, peer: Any, word: bytes) -> None:
    zero = peer(0)
    one = started(1, zero.bind([1]), 0)
    zero.accept(1)
    zero.send(1, 0, 1, WORD, word)
    status, said = one.end()
    assert status == BYTES and "refused (bytes)" in said and "word" in said


@pytest.mark.parametrize("sent", [0, 1, 127, 128, 200, 4096 + 128, 4096 + 128 + 31])
def test_a_peer_that_closes_early_is_truncated(started: Any, peer: Any, sent: int) -> None:
    zero = peer(0)
    one = started(1, zero.bind([1]), 0)
    zero.accept(1)
    zero.send(1, 0, 1, WORD, WORD_1)
    zero.connections[1].sendall(seal(Head(zero.run, 0, 1, 1, 1, 0, 4096, 4096, F32), X)[:sent])
    zero.connections[1].close()
    status, said = one.end()
    assert status == TRUNCATED and "refused (truncated): edge 0->1 region 1" in said


def test_another_run_is_refused_on_both_sides(started: Any, peer: Any) -> None:
    """The executable answers the opening frame with its own before it refuses: we see its identity.

    Both identities are printed whole, since two may differ in their last byte only.
    """
    root = started(0, [], 2)
    one = peer(1)
    other = one.run[:-1] + bytes([one.run[-1] ^ 1])
    lie = replace(one.service(0, 1), run=other)
    came = one.connect(0, root.ports[0], seal(lie, b""))
    assert came == seal(Head(one.run, 0, 1, SERVICE_REGION, 1, 0, 0, 0, 1), b"")
    status, said = root.end()
    assert status == FRAME and f"expected run {one.run.hex()}, got {other.hex()}" in said


def test_a_stranger_does_not_use_up_the_accept(started: Any, peer: Any) -> None:
    import socket

    root = started(0, [], 2)
    strangers = [socket.create_connection(("127.0.0.1", root.ports[0])) for _ in range(3)]
    strangers[0].close()
    strangers[1].sendall(b"GET / HTTP/1.1\r\n" * 20)
    two = started(2, [root.ports[1]], 0)
    one = peer(1)
    one.connect(0, root.ports[0])
    relay_role_1(one)
    for stranger in strangers:
        stranger.close()
    status, said = root.end()
    assert status == 0 and said.count("stranger") >= 2
    assert two.end()[0] == 0


def test_bytes_after_the_closing_frame_are_refused(started: Any, peer: Any) -> None:
    root = started(0, [], 2)
    started(2, [root.ports[1]], 0)
    one = peer(1)
    one.connect(0, root.ports[0])
    for round_ in range(5):
        if one.receive(0, 0, round_ + 1, WORD, 8) == WORD_1:
            one.receive(0, 1, round_ + 1, F32, 4096)
            one.send(0, 2, round_ + 1, F32, (2 * np.frombuffer(X, "<f4")).tobytes())
    one.connections[0].sendall(seal(one.service(0, 2), b"") + b"!")
    status, said = root.end()
    assert status == BYTES and "closing" in said
