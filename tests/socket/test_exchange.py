"""The exchange engine over loopback TCP: C++ against C++, and against the peer written from the page."""

from __future__ import annotations

import random
import signal
import socket
import struct
import threading
import time
from collections.abc import Callable

import pytest

from alpha_build.gates.peer import BYTES, I32, Head, Peer, read_exactly, seal
from participant import ADD, AROUND, EITHER_WAY, RELAY, RUN, SWAP, Budgets, Participant, array, in_thread

pytestmark = pytest.mark.native

Make = Callable[..., Participant]
Foreign = Callable[..., Peer]
FRAME = (1 << 16) + 160  # bytes of a whole frame on the wire


def joined(make: Make, **more: object) -> tuple[Participant, Participant]:
    """Roles 0 and 1, connected."""
    lower = make(0, {1: 0}, **more)
    assert lower.bind_all()
    higher = make(1, {0: lower.port(1)}, **more)
    accepted = in_thread(lower.accept_all)
    assert higher.connect_all(), higher.failure
    assert accepted.result(20), lower.failure
    return lower, higher


def root_of(make: Make, foreign: Foreign, leaves: int, **more: object) -> tuple[Participant, list[Peer]]:
    """Role 0 in C++ with foreign leaves 1, 2, ..."""
    root = make(0, dict.fromkeys(range(1, leaves + 1), 0), **more)
    assert root.bind_all()
    peers = [foreign(role, frame_bytes=more.get("frame_bytes", 1 << 16)) for role in range(1, leaves + 1)]
    accepted = in_thread(root.accept_all)
    for peer in peers:
        peer.connect(0, root.port(peer.role))
    assert accepted.result(20), root.failure
    return root, peers


# With 4 KiB to receive into, the kernel itself moves 40 KB/s: enough for a frame that no buffer holds.
@EITHER_WAY
@pytest.mark.parametrize(
    ("size", "receive_buffer"),
    [(0, 4096), (1, 4096), (1024, 4096), (1025, 4096), (20_000, 4096), (65536, 65536), (1 << 26, 65536)],
)
def test_both_directions_at_once_whatever_the_buffers(make: Make, size: int, receive_buffer: int) -> None:
    pair = joined(make)
    payloads = [random.Random(role).randbytes(size) for role in (0, 1)]
    sent = [array(payload) for payload in payloads]
    got = [array(bytes(size)) for _ in payloads]
    for role in (0, 1):
        pair[role].shrink_buffers(4096, receive_buffer)

    def swap(role: int) -> bool:
        one, peer = pair[role], 1 - role
        return one.exchange([one.transfer(peer, got[role])], [one.transfer(peer, sent[role])])

    done = [in_thread(lambda role=role: swap(role)) for role in (0, 1)]
    assert [future.result(60) for future in done] == [True, True], [one.failure for one in pair]
    assert [bytes(part) for part in got] == payloads[::-1]
    done = [in_thread(lambda role=role: pair[role].close(1 - role)) for role in (0, 1)]
    assert [future.result(20) for future in done] == [True, True]


@EITHER_WAY
def test_frames_are_those_of_the_page_in_both_directions(make: Make, foreign: Foreign) -> None:
    root, (peer,) = root_of(make, foreign, 1, frame_bytes=5000)
    payload = random.Random(3).randbytes(12_345)
    up, down = array(bytes(12_345)), array(payload)
    done = in_thread(
        lambda: root.exchange(
            [root.transfer(1, up, region=4, version=9)], [root.transfer(1, down, region=5, version=2)]
        )
    )
    peer.send(0, 4, 9, BYTES, payload[::-1])
    assert peer.receive(0, 5, 2, BYTES, 12_345) == payload
    assert done.result(20), root.failure
    assert bytes(up) == payload[::-1]
    closed = in_thread(lambda: root.close(1))
    peer.close(0)
    assert closed.result(20), root.failure


@pytest.mark.parametrize("size", [0, 8, 1000, 65536 * 2 + 8])
def test_staged_contributions_add_while_they_come(make: Make, foreign: Foreign, size: int) -> None:
    """A star's root and a parent of its own: children are added frame by frame, the sum leaves at once."""
    top = foreign(0)
    (port,) = top.bind([1])
    middle = make(1, {0: port, 2: 0, 3: 0})
    assert middle.bind_all()
    accepted = in_thread(lambda: top.accept(1))
    assert middle.connect_all(), middle.failure
    accepted.result(10)
    children = [foreign(role) for role in (2, 3)]
    accepted = in_thread(middle.accept_all)
    for child in children:
        child.connect(1, middle.port(child.role))
    assert accepted.result(10), middle.failure

    count = size // 4
    values = [[random.Random(role).randrange(-(2**29), 2**29) for _ in range(count)] for role in (1, 2, 3)]
    own = array(struct.pack(f"<{count}i", *values[0]))
    staging = [array(bytes(1 << 16)) for _ in children]
    inbound = [
        middle.transfer(child.role, own, element=I32, staging=stage)
        for child, stage in zip(children, staging, strict=True)
    ]
    done = in_thread(lambda: middle.exchange(inbound, [middle.transfer(0, own, element=I32)], ADD))
    for child, value in zip(children, values[1:], strict=True):
        said = struct.pack(f"<{count}i", *value)
        in_thread(lambda child=child, said=said: child.send(1, 0, 1, I32, said))
    total = struct.unpack(f"<{count}i", top.receive(1, 0, 1, I32, size))
    assert total == tuple(map(sum, zip(*values, strict=True)))
    assert done.result(20), middle.failure


@EITHER_WAY
def test_a_sum_that_leaves_on_two_edges_is_not_taken_for_a_relay(make: Make, foreign: Foreign) -> None:
    """What was added in place leaves with its own digest, not with the contribution's."""
    root, peers = root_of(make, foreign, 3)
    own, stage = array(struct.pack("<9000i", *range(9000))), array(bytes(1 << 16))
    incoming = root.transfer(1, own, element=I32, staging=stage)
    outgoing = [root.transfer(role, own, element=I32) for role in (2, 3)]
    done = in_thread(lambda: root.exchange([incoming], outgoing, ADD))
    peers[0].send(0, 0, 1, I32, struct.pack("<9000i", *range(9000)))
    wanted = struct.pack("<9000i", *range(0, 18000, 2))
    assert [peer.receive(0, 0, 1, I32, 36_000) for peer in peers[1:]] == [wanted] * 2
    assert done.result(20), root.failure


@EITHER_WAY
def test_a_swap_adds_only_what_has_left(make: Make) -> None:
    """Both contributions cross and are added in the place that they left from."""
    pair = joined(make)
    values = [struct.pack("<40000i", *range(role, 40000 + role)) for role in (0, 1)]
    owns = [array(value) for value in values]
    stages = [array(bytes(1 << 16)) for _ in values]
    for one in pair:
        one.shrink_buffers(4096, 65536)

    def swap(role: int) -> bool:
        one, peer = pair[role], 1 - role
        incoming = one.transfer(peer, owns[role], element=I32, staging=stages[role])
        return one.exchange([incoming], [one.transfer(peer, owns[role], element=I32)], SWAP)

    done = [in_thread(lambda role=role: swap(role)) for role in (0, 1)]
    assert [future.result(60) for future in done] == [True, True], [one.failure for one in pair]
    wanted = struct.pack("<40000i", *(2 * value + 1 for value in range(40000)))
    assert [bytes(own) for own in owns] == [wanted, wanted]


def below(make: Make, foreign: Foreign, **more: object) -> tuple[Participant, Peer]:
    """Role 1 in C++ under a foreign role 0, over buffers that hold less than a frame."""
    top = foreign(0, frame_bytes=1 << 16)
    (port,) = top.bind([1])
    top.listeners[1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    role = make(1, {0: port, 2: 0}, **more)
    assert role.bind_all()
    accepted = in_thread(lambda: top.accept(1))
    assert role.connect_all(), role.failure
    accepted.result(20)
    role.shrink_buffers(4096, 1 << 20)
    return role, top


@EITHER_WAY
def test_a_result_lands_on_what_has_left(make: Make, foreign: Foreign) -> None:
    """A parent that delivers before it reads: what leaves is the contribution, what goes on is the result."""
    role, top = below(make, foreign)
    child = foreign(2)
    accepted = in_thread(role.accept_all)
    child.connect(1, role.port(2))
    assert accepted.result(20), role.failure
    contribution, result = (random.Random(seed).randbytes(3 << 16) for seed in (7, 8))
    own = array(contribution)
    up, down = role.transfer(0, own, region=0), role.transfer(2, own, region=1)
    done = in_thread(lambda: role.exchange([role.transfer(0, own, region=1)], [up, down], AROUND))
    top.send(1, 1, 1, BYTES, result)
    assert top.receive(1, 0, 1, BYTES, 3 << 16) == contribution
    assert child.receive(1, 1, 1, BYTES, 3 << 16) == result
    assert done.result(20), role.failure
    assert bytes(own) == result


def test_a_result_is_awaited_from_the_end_of_the_contribution(make: Make, foreign: Foreign) -> None:
    """A parent that takes long to read a contribution is within the wait for its result."""
    role, top = below(make, foreign, budgets=Budgets(wait=3))
    payload = random.Random(9).randbytes(4 << 16)
    own = array(payload)
    up, down = role.transfer(0, own, region=0), role.transfer(0, own, region=1)
    done = in_thread(lambda: role.exchange([down], [up], AROUND))
    first = read_exactly(top.connections[1], FRAME)  # so that the result's first could come
    time.sleep(4)
    rest = read_exactly(top.connections[1], 3 * FRAME)
    head = Head(top.run, 1, 0, 0, 1, 0, 0, 0, BYTES)
    assert first + rest == b"".join(Peer(1, top.run, 1 << 16).frames(head, payload))
    top.send(1, 1, 1, BYTES, payload[::-1])
    assert done.result(20), role.failure
    assert bytes(own) == payload[::-1]


@EITHER_WAY
def test_a_sum_goes_up_and_comes_down_through_small_buffers(make: Make) -> None:
    pair = joined(make)
    for one in pair:
        one.shrink_buffers(4096, 65536)
    values = [struct.pack(f"<{1 << 19}i", *range(role, (1 << 19) + role)) for role in (0, 1)]
    owns = [array(value) for value in values]
    staging = array(bytes(1 << 16))
    root, leaf = pair
    comes = [root.transfer(1, owns[0], element=I32, staging=staging)]
    goes = [root.transfer(1, owns[0], region=1, element=I32)]
    done = in_thread(lambda: root.exchange(comes, goes, ADD))
    up, down = leaf.transfer(0, owns[1], element=I32), leaf.transfer(0, owns[1], region=1, element=I32)
    assert leaf.exchange([down], [up], AROUND), leaf.failure
    assert done.result(60), root.failure
    wanted = struct.pack(f"<{1 << 19}i", *range(1, (2 << 19) + 1, 2))
    assert [bytes(own) for own in owns] == [wanted, wanted]


def test_a_leaf_that_sends_all_before_it_reads(make: Make, foreign: Foreign) -> None:
    """It even stops for a second in between, while the root has its result and no room to send it."""
    root, (peer,) = root_of(make, foreign, 1)
    root.shrink_buffers(4096, 65536)
    count = 1 << 18
    own, staging = array(bytes(4 * count)), array(bytes(1 << 16))
    comes = [root.transfer(1, own, element=I32, staging=staging)]
    goes = [root.transfer(1, own, region=1, element=I32)]
    done = in_thread(lambda: root.exchange(comes, goes, ADD))
    said = struct.pack(f"<{count}i", *range(count))
    peer.send(0, 0, 1, I32, said)
    time.sleep(1)
    assert peer.receive(0, 1, 1, I32, 4 * count) == said
    assert done.result(20), root.failure


# Frames of 1 MiB are hashed in pieces as they leave; peers that read in turn are each somewhere else.
@pytest.mark.parametrize(("frame_bytes", "buffer_bytes"), [(1 << 16, 0), (1 << 20, 0), (1 << 20, 100_000)])
@pytest.mark.parametrize(("room", "hashes"), [(64, 1), (0, 4)])
def test_a_payload_is_hashed_once_for_its_edges(
    make: Make, foreign: Foreign, room: int, hashes: int, frame_bytes: int, buffer_bytes: int
) -> None:
    root, peers = root_of(make, foreign, 4, room=room, frame_bytes=frame_bytes)
    size = 3 * frame_bytes
    payload = random.Random(5).randbytes(size)
    buffer = array(payload)
    if buffer_bytes:
        root.shrink_buffers(buffer_bytes, buffer_bytes)
    root.library.count_leaves()
    done = in_thread(lambda: root.exchange([], [root.transfer(peer.role, buffer) for peer in peers]))
    assert [peer.receive(0, 0, 1, BYTES, size) for peer in peers] == [payload] * 4
    assert done.result(20), root.failure
    assert root.library.counted_leaves() == hashes * size // 4096


def test_a_slow_edge_takes_up_a_frame_that_a_faster_one_is_far_into(make: Make, foreign: Foreign) -> None:
    """What the second would hash of the frame they share is less than the first one has hashed."""
    frame_bytes = 1 << 22
    root, peers = root_of(make, foreign, 2, frame_bytes=frame_bytes)
    root.shrink_buffers(100_000, 100_000)
    payload = random.Random(8).randbytes(frame_bytes)
    buffer = array(payload)
    root.library.count_leaves()
    done = in_thread(lambda: root.exchange([], [root.transfer(peer.role, buffer) for peer in peers]))
    ahead = frame_bytes // 2  # the other's buffers hold less than a tenth of the frame
    came = read_exactly(peers[0].connections[0], ahead)
    assert peers[1].receive(0, 0, 1, BYTES, frame_bytes) == payload
    came += read_exactly(peers[0].connections[0], frame_bytes + 160 - ahead)
    assert came == seal(Head(RUN, 0, 1, 0, 1, 0, frame_bytes, frame_bytes, BYTES), payload)
    assert done.result(20), root.failure
    assert root.library.counted_leaves() == frame_bytes // 4096


@pytest.mark.parametrize(("room", "hashes"), [(64, 1), (0, 3)])
def test_a_relay_reuses_the_digest_that_it_verified(
    make: Make, foreign: Foreign, room: int, hashes: int
) -> None:
    root, peers = root_of(make, foreign, 3, room=room)
    size = 4 * 65536
    payload = random.Random(6).randbytes(size)
    buffer = array(bytes(size))
    root.library.count_leaves()
    done = in_thread(
        lambda: root.exchange(
            [root.transfer(1, buffer)], [root.transfer(2, buffer), root.transfer(3, buffer)], RELAY
        )
    )
    peers[0].send(0, 0, 1, BYTES, payload)
    assert [peer.receive(0, 0, 1, BYTES, size) for peer in peers[1:]] == [payload] * 2
    assert done.result(20), root.failure
    assert root.library.counted_leaves() == hashes * size // 4096


def test_interruptions_are_resumed(make: Make, foreign: Foreign) -> None:
    root, (peer,) = root_of(make, foreign, 1)
    interrupted = []
    before = signal.signal(signal.SIGUSR1, lambda *_: interrupted.append(1))
    try:
        buffer = array(bytes(100_000))
        result: list[bool] = []
        worker = threading.Thread(target=lambda: result.append(root.exchange([root.transfer(1, buffer)], [])))
        worker.start()
        for _ in range(50):
            assert worker.ident is not None
            signal.pthread_kill(worker.ident, signal.SIGUSR1)
            time.sleep(0.002)
        peer.send(0, 0, 1, BYTES, bytes(100_000))
        worker.join(20)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert result == [True], root.failure
    assert interrupted


@EITHER_WAY
def test_a_frame_in_single_bytes(make: Make, foreign: Foreign) -> None:
    """Every split of header, payload and trailer, for a short frame and for one that is read in parts."""
    root, (peer,) = root_of(make, foreign, 1)
    for version, size in ((1, 40), (2, 1025)):
        payload = random.Random(size).randbytes(size)
        buffer = array(bytes(size))
        done = in_thread(lambda: root.exchange([root.transfer(1, buffer, version=version)], []))  # noqa: B023
        (frame,) = peer.frames(peer.head(0, 0, version, BYTES), payload)
        for byte in frame:
            peer.connections[0].sendall(bytes([byte]))
        assert done.result(20), root.failure
        assert bytes(buffer) == payload


@EITHER_WAY
def test_frames_that_come_ahead_are_left_for_their_step(make: Make, foreign: Foreign) -> None:
    root, (peer,) = root_of(make, foreign, 1)
    payloads = [random.Random(i).randbytes(size) for i, size in enumerate((10, 0, 3000, 65537))]
    for region, payload in enumerate(payloads):
        peer.send(0, region, 1, BYTES, payload)
    peer.connections[0].sendall(b"")
    for region, payload in enumerate(payloads):
        buffer = array(bytes(len(payload)))
        assert root.exchange([root.transfer(1, buffer, region=region)], []), root.failure
        assert bytes(buffer) == payload


def test_budgets_are_the_classes_of_the_page(make: Make, foreign: Foreign) -> None:
    buffer = array(bytes(64))

    def outcome(budgets: Budgets, feed: Callable[[Peer], object]) -> tuple[tuple[int, str, str], float]:
        root, (peer,) = root_of(make, foreign, 1, budgets=budgets)
        in_thread(lambda: feed(peer))
        started = time.monotonic()
        assert not root.exchange([root.transfer(1, buffer, region=3, version=2)], [])
        return root.failure, time.monotonic() - started

    (code, kind, text), _ = outcome(Budgets(wait=0.3), lambda peer: None)
    assert (code, kind) == (77, "wait")
    assert text == "edge 1->0 region 3: awaited version 2 offset 0 for 0.3 s"

    def drip(peer: Peer) -> None:
        (frame,) = peer.frames(peer.head(0, 3, 2, BYTES), bytes(64))
        for byte in frame[:150]:
            peer.connections[0].sendall(bytes([byte]))
            time.sleep(0.02)

    (code, kind, text), taken = outcome(Budgets(frame=0.5), drip)
    assert (code, kind) == (77, "frame_time")
    assert taken < 1.5  # bytes that drip for three seconds do not arm it again
    assert text == "edge 1->0 region 3: receiving version 2 offset 0 for 0.5 s"

    (code, kind, text), taken = outcome(Budgets(session=0.6), lambda peer: None)
    assert (code, kind) == (77, "session_time")
    assert taken < 5


@EITHER_WAY
@pytest.mark.parametrize("drinks", [False, True], ids=["still", "slow"])
@pytest.mark.parametrize("budgets", [Budgets(frame=0.5), Budgets(session=0.8)], ids=["frame", "session"])
def test_a_peer_that_does_not_read_ends_the_send(
    make: Make, foreign: Foreign, budgets: Budgets, drinks: bool
) -> None:
    root, (peer,) = root_of(make, foreign, 1, budgets=budgets, frame_bytes=1 << 24)
    root.shrink_buffers(4096, 4096)
    buffer = array(bytes(1 << 24))
    if drinks:

        def drink() -> None:
            while peer.connections[0].recv(30_000):
                time.sleep(0.02)

        in_thread(drink)
    started = time.monotonic()
    assert not root.exchange([], [root.transfer(1, buffer)])
    assert time.monotonic() - started < 3  # reading it all at this pace takes longer
    code, _, text = root.failure
    assert code == 77
    assert text.startswith("edge 0->1 region 0: sending version 1 offset 0 for ")
