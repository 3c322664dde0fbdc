"""Two and three participants in one process, a thread each, over real TCP on loopback."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

import alpha_build as ab
from alpha_build import frame
from alpha_build.endpoint import Edge, Endpoint, Receive, Send

RUN = bytes(range(32))
QUICK = ab.Budgets(connect=5, accept=5, wait=5, frame=5)


def endpoint(role: int, peers: Sequence[int], **changes: Any) -> Endpoint:
    return Endpoint(
        **{"role": role, "run": RUN, "edges": [Edge(p) for p in peers], "budgets": QUICK, **changes}
    )


def together(*participants: Callable[[], Any]) -> list[Any]:
    """Run each in a thread of its own; the first failure, in the order given, is raised."""
    with ThreadPoolExecutor(len(participants)) as pool:
        running: list[Future[Any]] = [pool.submit(participant) for participant in participants]
        return [future.result(timeout=30) for future in running]


def established(*pairs: tuple[int, Sequence[int]], **changes: Any) -> list[Endpoint]:
    """Endpoints for (role, peers), bound in order, ports passed on, all connected."""
    endpoints = {role: endpoint(role, peers, **changes) for role, peers in pairs}
    ports: dict[tuple[int, int], int] = {}
    for role, peers in pairs:
        higher = [peer for peer in sorted(peers) if peer > role]
        ports.update(zip([(role, peer) for peer in higher], endpoints[role].bind(), strict=True))

    def establish(role: int, peers: Sequence[int]) -> None:
        endpoints[role].connect([ports[peer, role] for peer in sorted(peers) if peer < role])
        endpoints[role].accept()

    together(*(lambda role=role, peers=peers: establish(role, peers) for role, peers in pairs))
    return list(endpoints.values())


def open_sockets() -> int:
    names = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    return sum(os.path.lexists(name) and os.readlink(name).startswith("socket:") for name in names)


@pytest.fixture(autouse=True)
def no_descriptor_left() -> Any:
    before = open_sockets()
    yield
    assert open_sockets() == before


@pytest.mark.parametrize("element", ["f32", "f64", "i32", "i64", "f16", "bytes"])
def test_send_and_receive(element: str) -> None:
    dtype = {"f32": "f4", "f64": "f8", "i32": "i4", "i64": "i8", "f16": "f2", "bytes": "u1"}[element]
    values = np.arange(12).astype(dtype).reshape(3, 4)
    a, b = established((0, [1]), (1, [0]))

    def sender() -> None:
        a.send(1, region=5, version=1, payload=values)
        a.close()

    def receiver() -> Any:
        received = b.receive(0, region=5, version=1, like=np.empty((3, 4), dtype))
        b.close()
        return received

    _, received = together(sender, receiver)
    assert received.dtype == values.dtype
    assert np.array_equal(received, values)
    assert not a.is_open
    assert not b.is_open


@pytest.mark.parametrize("size", [0, 1, 4096, 100_000])
def test_regions_travel_in_frames_both_ways_at_once(size: int) -> None:
    a, b = established((0, [1]), (1, [0]), frame_bytes=4096)
    there, back = np.arange(size, dtype=np.float32), -np.arange(size, dtype=np.float32)

    def swap(own: Endpoint, peer: int, values: Any) -> Any:
        (received,) = own.exchange([Send(peer, 3, 1, values)], [Receive(peer, 3, 1, values)])
        own.close()
        return received

    received = together(lambda: swap(a, 1, there), lambda: swap(b, 0, back))
    assert np.array_equal(received[0], back)
    assert np.array_equal(received[1], there)


def test_a_middle_participant_listens_and_dials() -> None:
    low, middle, high = established((0, [1]), (1, [0, 2]), (2, [1]))
    value = np.full(5, 2.0)

    def relay() -> None:
        middle.send(2, 1, 1, middle.receive(0, 0, 1, like=value) + 1)
        middle.close()

    def first() -> None:
        low.send(1, 0, 1, value)
        low.close()

    def last() -> Any:
        received = high.receive(1, 1, 1, like=value)
        high.close()
        return received

    *_, received = together(first, relay, last)
    assert np.array_equal(received, value + 1)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("version", {"version": 2}),
        ("edge", {"region": 6}),
        ("bytes", {"like": np.empty(4)}),  # the extent stands before the total
        ("edge", {"like": np.empty(6, np.float32)}),
    ],
)
def test_a_frame_that_was_not_expected_is_refused(kind: str, expected: dict[str, Any]) -> None:
    a, b = established((0, [1]), (1, [0]))
    a.send(1, region=5, version=1, payload=np.arange(3.0))
    with pytest.raises(ab.Refused, match=rf"^refused \({kind}\): edge 0->1 region \d: expected") as refused:
        b.receive(**{"peer": 0, "region": 5, "version": 1, "like": np.empty(3), **expected})
    assert refused.value.kind == kind
    assert not b.is_open
    with pytest.raises(ab.Refused) as again:  # the first failure stays
        b.send(0, region=7, version=1, payload=b"")
    assert again.value.kind == kind
    a.abandon()


@pytest.mark.parametrize("size", [40, 4096, 100_000])  # one read; one long frame; the last of several
def test_no_byte_is_to_be_had_before_its_trailer(size: int) -> None:
    """Neither in the array that is not returned, nor in memory of one's own that the module filled."""
    canary = b"alpha-build canary, not verified"
    payload = (canary * (size // len(canary) + 1))[:size]
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    own = endpoint(1, [0], edges=[Edge(0, dial=f"127.0.0.1:{port}")], frame_bytes=65_536)

    def raw_peer() -> None:
        with listener, listener.accept()[0] as peer:
            head = {"run": RUN, "sender": 0, "receiver": 1, "element": "bytes", "version": 1}
            peer.sendall(frame.seal(frame.Header(**head, region=2**64 - 1, extent=0), b""))
            for at in range(0, size, 65_536):
                part = payload[at : at + 65_536]
                header = frame.Header(**head, region=9, extent=len(part), offset=at, total=size)
                sealed = bytearray(frame.seal(header, part))
                sealed[-1] ^= at + len(part) == size  # of the last frame
                peer.sendall(sealed)
            while peer.recv(4096):
                pass

    memory = np.zeros(size, np.uint8)

    def participant() -> None:
        own.bind()
        own.connect()
        with pytest.raises(ab.Refused, match="the trailer is not the digest") as refused:
            own._participant.exchange([], [(0, 9, 1, "bytes", memory)])
        assert refused.value.kind == "bytes"

    together(raw_peer, participant)
    assert not memory.any()


def test_one_transfer_an_edge_and_direction() -> None:
    a, b = established((0, [1]), (1, [0]))
    twice = [Send(1, 0, 1, np.ones(1)), Send(1, 1, 1, np.ones(1))]
    with pytest.raises(ValueError, match="one transfer an edge and direction"):
        a.exchange(twice)
    a.send(1, 0, 1, np.ones(1))  # wrong use is not a failure of the session
    assert b.receive(0, 0, 1, like=np.empty(1)) == np.ones(1)
    a.abandon()
    b.abandon()


def test_an_endpoint_is_established_once_and_close_ends_it() -> None:
    a, b = established((0, [1]), (1, [0]))
    for again in (a.bind, a.accept, b.bind, lambda: b.connect([1])):
        with pytest.raises(ValueError, match=r"before|once"):
            again()
    together(a.close, b.close)
    a.close()
    lonely = endpoint(0, [1])
    lonely.bind()
    lonely.close()
    assert not lonely.is_open


def test_another_run_is_refused_on_both_sides() -> None:
    a, b = endpoint(0, [1]), endpoint(1, [0], run=bytes(32))
    ports = a.bind()
    b.bind()
    with ThreadPoolExecutor(2) as pool:
        running = [pool.submit(a.accept), pool.submit(b.connect, ports)]
        for future in running:
            failure = future.exception(timeout=30)
            assert isinstance(failure, ab.Refused)
            assert failure.kind == "frame"
            assert "run" in str(failure)


def test_the_wire_is_frame_v1() -> None:
    """A raw socket reads what an endpoint sends: opening frame, one region, closing frame."""
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    own = endpoint(1, [0], edges=[Edge(0, dial=f"127.0.0.1:{port}")])
    own.bind()
    service = {"run": RUN, "region": 2**64 - 1, "extent": 0, "element": "bytes"}
    received = bytearray()

    def raw_peer() -> None:
        with listener, listener.accept()[0] as peer:
            for version in (1, 2):  # opening, closing
                head = frame.Header(**service, sender=0, receiver=1, version=version)
                peer.sendall(frame.seal(head, b""))
            peer.shutdown(socket.SHUT_WR)
            while piece := peer.recv(4096):
                received.extend(piece)

    def participant() -> None:
        own.connect()
        own.accept()
        own.send(0, region=9, version=1, payload=np.array([1, -1], np.int32))
        own.close()

    together(raw_peer, participant)
    sent = bytes(received)
    head = frame.Header(run=RUN, sender=1, receiver=0, region=9, version=1, extent=8, element="i32")
    opening, closing = (frame.Header(**service, sender=1, receiver=0, version=version) for version in (1, 2))
    assert frame.open(opening, sent[:160]) == b""
    assert frame.open(head, sent[160:328]) == np.array([1, -1], np.int32).tobytes()
    assert frame.open(closing, sent[328:]) == b""


def test_budgets_end_every_wait() -> None:
    brief = ab.Budgets(connect=0.1, accept=0.1, wait=0.1, frame=0.1)
    lonely = endpoint(0, [1], budgets=brief)
    lonely.bind()
    with pytest.raises(ab.Refused, match=r"^budget exhausted \(accept\): edge 1->0") as refused:
        lonely.accept()
    assert refused.value.kind == "accept"

    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = endpoint(1, [0], budgets=brief)
        nobody.bind()
        with pytest.raises(
            ab.Refused, match=r"^budget exhausted \(connect\): edge 0->1: 127.0.0.1:"
        ) as refused:
            nobody.connect([unused.getsockname()[1]])
    assert refused.value.kind == "connect"

    a, b = established((0, [1]), (1, [0]), budgets=ab.Budgets(connect=5, accept=5, wait=0.1, frame=0.1))
    with pytest.raises(ab.Refused) as refused:
        b.receive(0, region=0, version=1, like=np.empty(1))
    assert refused.value.kind == "wait"
    a.abandon()


def test_a_peer_that_goes_away_is_truncated() -> None:
    a, b = established((0, [1]), (1, [0]))
    a.abandon()
    with pytest.raises(ab.Refused) as refused:
        b.receive(0, region=0, version=1, like=np.empty(1))
    assert refused.value.kind == "truncated"


def test_a_wait_lets_other_threads_run_and_turns_a_second_user_away() -> None:
    a, b = established((0, [1]), (1, [0]))

    def receive() -> Any:
        while True:
            with suppress(RuntimeError):  # the look below came in between
                return b.receive(0, region=0, version=1, like=np.empty(1))

    def turned_away() -> str:
        for _ in range(3000):  # until the other thread has begun its wait
            try:
                b.exchange()
            except RuntimeError as failure:
                return str(failure)
            time.sleep(0.01)
        return "never"

    with ThreadPoolExecutor(1) as pool:
        received = pool.submit(receive)
        assert "in use by another thread" in turned_away()
        a.send(1, region=0, version=1, payload=np.ones(1))
        assert received.result(timeout=30) == np.ones(1)
    a.abandon()
    b.abandon()


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: endpoint(0, [0]), "another one"),
        (lambda: endpoint(0, [1, 1]), "one edge"),
        (lambda: endpoint(0, [1], run=b"short"), "run is 32 bytes, not 5"),
        (lambda: endpoint(0, [1], frame_bytes=0), "at least 1 byte"),
        (lambda: endpoint(0, range(1, 1002)), "at most 1,000 edges"),
        (lambda: [own.bind() for own in [endpoint(0, [1])] * 2], "bound before"),
        (lambda: endpoint(0, [1]).accept(), "bind first"),
        (lambda: endpoint(1, [0]).connect(), "a port is missing"),
        (lambda: endpoint(1, [0]).connect([1, 2]), "more ports"),
        (lambda: endpoint(0, [1]).send(1, 0, 1, b""), "not open"),
        (lambda: endpoint(0, [1]).send(2, 0, 1, b""), "not a peer"),
        (lambda: endpoint(0, [], edges=[Edge(1, listen="nowhere")]), '"nowhere" is not an address'),
        (lambda: endpoint(0, [], edges=[Edge(1, dial="127.0.0.1:70000")]), "not an address"),
    ],
)
def test_wrong_use(attempt: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, ab.ContractFailure), match=message):
        attempt()
