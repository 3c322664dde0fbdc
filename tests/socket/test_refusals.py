"""What the engine refuses, and what it says: one peer that lies, stops or breaks off at every byte."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from alpha_build.gates.peer import BYTES, WORD, Head, Peer, seal
from participant import EITHER_WAY, RUN, Budgets, Participant, array, in_thread

pytestmark = pytest.mark.native

Make = Callable[..., Participant]
Foreign = Callable[..., Peer]


@pytest.fixture
def edge(make: Make, foreign: Foreign) -> tuple[Participant, Peer]:
    """Role 0 in C++ and role 1, foreign, connected."""
    root = make(0, {1: 0}, budgets=Budgets(wait=5, frame=5))
    assert root.bind_all()
    peer = foreign(1)
    accepted = in_thread(root.accept_all)
    peer.connect(0, root.port(1))
    assert accepted.result(10), root.failure
    return root, peer


def close(connection: socket.socket) -> None:
    connection.close()


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


# A frame of each way to be received, and how many of its bytes come.
SHORT = [(16, place) for place in (0, 1, 127, 128, 143, 144, 175)]
LONG = [(2000, place) for place in (1, 128, 1000, 2128, 2159)]


def received(root: Participant, size: int, *, element: int = BYTES, version: int = 4) -> tuple[int, str, str]:
    buffer = array(b"\xaa" * size)
    assert not root.exchange([root.transfer(1, buffer, region=5, version=version, element=element)], [])
    # A short body is given to nobody before its trailer.
    assert bytes(buffer) == b"\xaa" * size or size > 1024
    return root.failure


@EITHER_WAY
@pytest.mark.parametrize("size", [16, 2000])
@pytest.mark.parametrize(
    ("lie", "code", "kind", "text"),
    [
        ({"version": 3}, 72, "version", "expected version 4 offset 0, got version 3 offset 0"),
        ({"offset": 16}, 72, "version", "expected version 4 offset 0, got version 4 offset 16"),
        ({"region": 6}, 71, "edge", "expected region 5, got 6"),
        ({"sender": 0, "receiver": 1}, 71, "edge", "expected sender 1, got 0"),
        ({"element": 2}, 71, "edge", "expected element 1, got 2"),
        ({"extent": 1}, 73, "bytes", None),
        ({"run": bytes(32)}, 70, "frame", f"expected run {RUN.hex()}, got {bytes(32).hex()}"),
    ],
)
def test_a_header_that_differs(
    edge: tuple[Participant, Peer], size: int, lie: dict[str, int], code: int, kind: str, text: str | None
) -> None:
    root, peer = edge
    head = replace(peer.head(0, 5, 4, BYTES), extent=size, total=size)
    peer.connections[0].sendall(seal(replace(head, **lie), bytes(size)))
    found = received(root, size)
    assert found[:2] == (code, kind)
    if text is not None:
        assert found[2] == f"edge 1->0 region 5: {text}"


@EITHER_WAY
@pytest.mark.parametrize("size", [16, 2000])
def test_a_header_is_compared_before_its_body_is_there(edge: tuple[Participant, Peer], size: int) -> None:
    root, peer = edge
    head = replace(peer.head(0, 5, 3, BYTES), extent=size, total=size)
    peer.connections[0].sendall(head.pack())
    started = time.monotonic()
    assert received(root, size)[1] == "version"
    assert time.monotonic() - started < 3  # not the frame budget


@EITHER_WAY
@pytest.mark.parametrize(
    ("size", "place"),
    [(16, 130), (16, 150), (2000, 128), (2000, 2127), (2000, 2159), (70_000, 65_834)],
)
def test_a_changed_byte(edge: tuple[Participant, Peer], size: int, place: int) -> None:
    root, peer = edge
    frame = bytearray(b"".join(peer.frames(peer.head(0, 5, 4, BYTES), bytes(size))))
    frame[place] ^= 1
    peer.connections[0].sendall(frame)
    code, kind, text = received(root, size)
    assert (code, kind) == (73, "bytes")
    offset = 65_536 if place > 65_536 else 0
    assert text.startswith(f"edge 1->0 region 5: version 4 offset {offset}: the trailer is not the digest")


@EITHER_WAY
def test_a_word_that_is_not_canonical(edge: tuple[Participant, Peer]) -> None:
    root, peer = edge
    peer.send(0, 5, 4, WORD, b"\2" + bytes(7))
    assert received(root, 8, element=WORD)[:2] == (73, "bytes")


@EITHER_WAY
@pytest.mark.parametrize("breaking", [close, reset])
@pytest.mark.parametrize("size_and_place", [*SHORT, *LONG], ids=lambda pair: f"{pair[0]}-{pair[1]}")
def test_a_peer_that_breaks_off(
    edge: tuple[Participant, Peer], size_and_place: tuple[int, int], breaking: Callable[[socket.socket], None]
) -> None:
    root, peer = edge
    size, place = size_and_place
    (frame,) = peer.frames(peer.head(0, 5, 4, BYTES), bytes(size))
    peer.connections[0].sendall(frame[:place])
    breaking(peer.connections[0])
    code, kind, text = received(root, size)
    assert (code, kind) == (74, "truncated")
    why = "end of stream" if breaking is close else "connection reset"
    rest = f"after {place} of {size + 160} bytes of" if place else "before"
    assert text == f"edge 1->0 region 5: {why} {rest} version 4 offset 0"


@EITHER_WAY
def test_a_peer_that_dies_while_we_send(edge: tuple[Participant, Peer]) -> None:
    root, peer = edge
    buffer = array(bytes(1 << 24))
    done = in_thread(lambda: root.exchange([], [root.transfer(1, buffer, region=2)]))
    peer.connections[0].recv(1000)
    reset(peer.connections[0])
    assert done.result(10) is False
    code, kind, text = root.failure
    assert (code, kind) == (74, "truncated")
    assert text.startswith("edge 0->1 region 2: ")
    assert " when sending version 1 offset " in text


@EITHER_WAY
def test_a_refusal_is_read_before_the_error_on_sending_counts(edge: tuple[Participant, Peer]) -> None:
    """The peer says who it is, then resets: its frame decides, not the reset that sending meets first."""
    root, peer = edge
    (frame,) = peer.frames(peer.head(0, 5, 3, BYTES), bytes(16))
    peer.connections[0].sendall(frame)
    time.sleep(0.05)
    reset(peer.connections[0])
    time.sleep(0.05)
    incoming, outgoing = array(bytes(16)), array(bytes(1 << 20))
    expected = root.transfer(1, incoming, region=5, version=4)
    assert not root.exchange([expected], [root.transfer(1, outgoing, region=5)])
    assert root.failure[1] == "version"


@EITHER_WAY
def test_an_exchange_on_a_closed_edge_is_refused(edge: tuple[Participant, Peer]) -> None:
    root, peer = edge
    closed = in_thread(lambda: root.close(1))
    peer.close(0)
    assert closed.result(10), root.failure
    assert received(root, 16) == (74, "truncated", "edge 1->0 region 5: the edge is closed")


@EITHER_WAY
def test_the_first_failure_stays(edge: tuple[Participant, Peer]) -> None:
    root, peer = edge
    peer.send(0, 5, 3, BYTES, bytes(16))
    first = received(root, 16)
    peer.abandon()
    assert not root.close(1)
    assert root.failure == first


def closing(peer: Peer) -> bytes:
    return seal(peer.service(0, 2), b"")


@EITHER_WAY
@pytest.mark.parametrize(
    ("say", "code", "text"),
    [
        (lambda peer: closing(peer) + b"x", 73, "edge 1->0: a byte after the closing frame"),
        (lambda peer: b"", 74, "edge 1->0 closing: end of stream before version 2 offset 0"),
        (lambda peer: closing(peer)[:159], 74, None),
        (lambda peer: seal(Head(peer.run, 1, 0, 5, 4, 0, 0, 0, BYTES), b""), 71, None),
        (lambda peer: seal(peer.service(0, 1), b""), 72, None),
    ],
)
def test_closing_is_exact(
    edge: tuple[Participant, Peer], say: Callable[[Peer], bytes], code: int, text: str | None
) -> None:
    root, peer = edge
    peer.connections[0].sendall(say(peer))
    peer.connections[0].shutdown(socket.SHUT_WR)
    assert not root.close(1)
    assert root.failure[0] == code
    if text is not None:
        assert root.failure[2] == text


@EITHER_WAY
def test_a_peer_that_closes_but_stays_is_out_of_time(make: Make, foreign: Foreign) -> None:
    root = make(0, {1: 0}, budgets=Budgets(frame=0.3))
    assert root.bind_all()
    peer = foreign(1)
    accepted = in_thread(root.accept_all)
    peer.connect(0, root.port(1))
    assert accepted.result(10)
    peer.connections[0].sendall(closing(peer))
    assert not root.close(1)
    assert root.failure[:2] == (77, "frame_time")
