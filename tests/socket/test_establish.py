"""Establishment over loopback: ports, retries, strangers, mismatches that both sides name, and budgets."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from alpha_build.gates.peer import Peer, read_exactly, seal
from participant import RUN, Budgets, Participant, in_thread

pytestmark = pytest.mark.native

Make = Callable[..., Participant]
Foreign = Callable[..., Peer]
OTHER_RUN = bytes(range(100, 132))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def test_a_star_in_any_order(make: Make) -> None:
    """Leaves dial before the root listens: fixed ports need no launcher."""
    ports = {1: free_port(), 2: free_port()}
    leaves = [make(role, {0: port}) for role, port in ports.items()]
    connected = [in_thread(leaf.connect_all) for leaf in leaves]
    time.sleep(0.1)
    root = make(0, ports)
    assert root.bind_all(), root.failure
    assert root.accept_all(), root.failure
    assert [future.result(10) for future in connected] == [True, True], [leaf.failure for leaf in leaves]


def test_sockets_are_as_the_page_says(make: Make) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    leaf = make(1, {0: root.port(1)})
    accepted = in_thread(root.accept_all)
    assert leaf.connect_all()
    assert accepted.result(10)
    for one, peer in ((root, 1), (leaf, 0)):
        with one.socket(peer) as edge:
            assert edge.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert edge.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert edge.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) < 60
            assert edge.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).rstrip(b"\0") == b"reno"
        flags = fcntl.fcntl(one.descriptor_of(0), fcntl.F_GETFD)
        assert flags & fcntl.FD_CLOEXEC


def test_ports_are_announced_and_heard(make: Make) -> None:
    root = make(0, {1: 0, 2: 0})
    assert root.bind_all()
    read, write = os.pipe()
    assert root.announce_to(write)
    said = os.read(read, 100)
    assert said == b"".join(root.port(peer).to_bytes(2, "big") for peer in (1, 2))
    os.write(write, b"nothing else is ever written there")
    os.set_blocking(read, False)
    assert os.read(read, 100) == b""  # /dev/null lies over the descriptor: the pipe has no writer left
    os.close(read)
    os.close(write)

    # Only for edges whose compiled port is 0, in edge order, in whatever pieces they come.
    leaf = make(3, {0: 0, 1: free_port(), 2: 0})
    read, write = os.pipe()
    heard = in_thread(lambda: leaf.hear_from(read))
    for byte in (*root.port(1).to_bytes(2, "big"), *root.port(2).to_bytes(2, "big")):
        os.write(write, bytes([byte]))
        time.sleep(0.005)
    assert heard.result(10), leaf.failure


@pytest.mark.parametrize("said", [b"", b"\x12", b"\0\0"])
def test_missing_ports_are_75(make: Make, said: bytes) -> None:
    leaf = make(1, {0: 0})
    read, write = os.pipe()
    os.write(write, said)
    os.close(write)
    assert not leaf.hear_from(read)
    os.close(read)
    why = "got port 0" if len(said) == 2 else "end of stream"
    assert leaf.failure == (75, "connect", f"edge 0->1: no port on descriptor 0: {why}")


def test_ports_that_nobody_says_are_75_in_time(make: Make) -> None:
    leaf = make(1, {0: 0}, budgets=Budgets(connect=0.2))
    read, write = os.pipe()
    assert not leaf.hear_from(read)
    assert leaf.failure == (75, "connect", "edge 0->1: no port on descriptor 0: timed out")
    os.close(read)
    os.close(write)


def test_a_port_in_use_is_named(make: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:  # with SO_REUSEADDR, as most servers
        port = other.getsockname()[1]
        root = make(0, {1: port})
        assert not root.bind_all()
        text = f"edge 1->0: cannot listen on 127.0.0.1:{port}: address in use"
        assert root.failure == (78, "admission", text)


def test_a_port_is_reused_after_a_crash(make: Make) -> None:
    """Our end closed first: the port is in TIME_WAIT, and still it can be bound at once."""
    port = free_port()
    for _ in range(3):
        root = make(0, {1: port})
        assert root.bind_all(), root.failure
        with socket.create_connection(("127.0.0.1", port)) as peer:
            peer.sendall(seal(Peer(1, RUN).service(0, 1), b""))
            assert root.accept_all(), root.failure
            read_exactly(peer, 160)
            root.library.abandon_all(root.handle)
            assert peer.recv(1) == b""


@pytest.mark.parametrize("deaths", [1, 3])
def test_a_relay_accepts_before_the_far_listener_exists(make: Make, foreign: Foreign, deaths: int) -> None:
    peer = foreign(0)
    (port,) = peer.bind([1])
    leaf = make(1, {0: port})
    connected = in_thread(leaf.connect_all)
    for i in range(deaths):
        connection, _ = peer.listeners[1].accept()
        if i % 2:
            connection.sendall(seal(peer.service(1, 1), b"")[:100])
        connection.close()
    peer.accept(1)
    assert connected.result(10), leaf.failure


def test_a_peer_that_never_starts_is_75_or_76(make: Make) -> None:
    port = free_port()
    leaf = make(1, {0: port}, budgets=Budgets(connect=0.4))
    started = time.monotonic()
    assert not leaf.connect_all()
    assert 0.4 <= time.monotonic() - started < 10
    text = f"edge 0->1: 127.0.0.1:{port} for 0.4 s: connection refused"
    assert leaf.failure == (75, "connect", text)
    root = make(0, {1: port}, budgets=Budgets(accept=0.4))
    assert root.bind_all()
    started = time.monotonic()
    assert not root.accept_all()
    assert 0.4 <= time.monotonic() - started < 10
    text = f"edge 1->0: listening on 127.0.0.1:{port} for 0.4 s: no opening frame (0 strangers)"
    assert root.failure == (76, "accept", text)


def test_a_silent_listener_is_75(make: Make) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        leaf = make(1, {0: other.getsockname()[1]}, budgets=Budgets(connect=0.3))
        assert not leaf.connect_all()
    assert leaf.failure[0] == 75
    assert leaf.failure[2].endswith(": connected, but no opening frame")


def test_the_session_s_deadline_ends_establishment(make: Make) -> None:
    root = make(0, {1: 0}, budgets=Budgets(session=0.3))
    assert root.bind_all()
    assert not root.accept_all()
    assert root.failure[:2] == (77, "session_time")


def test_both_sides_name_a_mismatch(make: Make) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    leaf = make(1, {0: root.port(1)}, run=OTHER_RUN)
    accepted = in_thread(root.accept_all)
    assert not leaf.connect_all()
    assert accepted.result(10) is False
    ours, theirs = RUN.hex(), OTHER_RUN.hex()
    assert root.failure == (70, "frame", f"edge 1->0 opening: expected run {ours}, got {theirs}")
    assert leaf.failure == (70, "frame", f"edge 0->1 opening: expected run {theirs}, got {ours}")


@pytest.mark.parametrize(
    ("lie", "code"),
    [
        ({"sender": 2}, 71),
        ({"receiver": 2}, 71),
        ({"region": 0}, 71),
        ({"version": 2}, 72),
        ({"extent": 1}, 73),
        ({"zero": b"\1" * 28}, 70),
    ],
)
def test_openings_that_differ_are_answered_then_refused(
    make: Make, foreign: Foreign, lie: dict[str, int], code: int
) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    peer = foreign(1)
    accepted = in_thread(root.accept_all)
    opening = seal(replace(peer.service(0, 1), **lie), b"")
    answer = peer.connect(0, root.port(1), opening)
    assert answer == seal(Peer(0, RUN).service(1, 1), b"")
    assert accepted.result(10) is False
    assert root.failure[0] == code
    # The same at the connecting end.
    listener = foreign(0)
    (port,) = listener.bind([1])
    leaf = make(1, {0: port})
    connected = in_thread(leaf.connect_all)
    connection, _ = listener.listeners[1].accept()
    swapped = {"sender": 1, "receiver": 0}
    told = {name: swapped.get(name, value) for name, value in lie.items()}
    connection.sendall(seal(replace(listener.service(1, 1), **told), b""))
    assert connected.result(10) is False
    assert leaf.failure[0] == code
    connection.close()


def test_an_opening_with_a_false_trailer_is_73(make: Make, foreign: Foreign) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    peer = foreign(1)
    accepted = in_thread(root.accept_all)
    opening = bytearray(seal(peer.service(0, 1), b""))
    opening[-1] ^= 1
    peer.connect(0, root.port(1), bytes(opening))
    assert accepted.result(10) is False
    assert root.failure[:2] == (73, "bytes")


def test_an_opening_that_ends_after_its_header_is_74(make: Make, foreign: Foreign) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    accepted = in_thread(root.accept_all)
    with socket.create_connection(("127.0.0.1", root.port(1))) as connection:
        connection.sendall(seal(foreign(1).service(0, 1), b"")[:130])
        connection.shutdown(socket.SHUT_WR)
        assert accepted.result(10) is False
    assert root.failure[:2] == (74, "truncated")


@pytest.mark.parametrize(
    "say", [b"", b"1234567", b"GET / HTTP/1.1\r\n\r\n", b"ALPHAFR1" + bytes(100), b"\0" * 500]
)
def test_a_stranger_first(make: Make, foreign: Foreign, say: bytes) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    stranger = socket.create_connection(("127.0.0.1", root.port(1)))
    name = stranger.getsockname()[1]
    stranger.sendall(say)
    stranger.close()
    accepted = in_thread(root.accept_all)
    time.sleep(0.05)
    foreign(1).connect(0, root.port(1))
    assert accepted.result(10), root.failure
    (line,) = root.library.take_log().decode().splitlines()
    assert line.startswith(f"alpha-build: role 0: stranger on edge 1->0: 127.0.0.1:{name} after ")


def test_silent_strangers_do_not_hold_the_place(make: Make, foreign: Foreign) -> None:
    """Nine that say nothing, or half of it, and stay: the peer still gets in, and each is logged."""
    root = make(0, {1: 0})
    assert root.bind_all()
    half = seal(foreign(1).service(0, 1), b"")[:90]
    strangers = [socket.create_connection(("127.0.0.1", root.port(1))) for _ in range(9)]
    for i, stranger in enumerate(strangers):
        stranger.sendall(half if i % 3 == 0 else b"")
    accepted = in_thread(root.accept_all)
    time.sleep(0.05)
    peer = foreign(1)
    peer.connect(0, root.port(1))
    assert accepted.result(10), root.failure
    lines = root.library.take_log().decode().splitlines()
    assert len(lines) == 9
    assert sum("dropped for a newer connection" in line for line in lines) == 6
    # Those that said something kept their places longest.
    assert sum("after 90 bytes: the peer is here" in line for line in lines) == 3
    for stranger in strangers:
        stranger.close()


def test_a_peer_that_was_answered_keeps_its_place(make: Make, foreign: Foreign) -> None:
    """It takes the edge for open: dropped for a newer stranger, neither side would complete."""
    root = make(0, {1: 0})
    assert root.bind_all()
    accepted = in_thread(root.accept_all)
    opening = seal(foreign(1).service(0, 1), b"")
    with socket.create_connection(("127.0.0.1", root.port(1))) as connection:
        connection.sendall(opening[:128])
        assert read_exactly(connection, 160) == seal(Peer(0, RUN).service(1, 1), b"")
        strangers = []
        for _ in range(6):
            strangers.append(socket.create_connection(("127.0.0.1", root.port(1))))
            strangers[-1].sendall(b"ALP")
            time.sleep(0.02)
        connection.sendall(opening[128:])
        assert accepted.result(10), root.failure
    lines = root.library.take_log().decode().splitlines()
    assert len(lines) == 6 and not any("after 128 bytes" in line for line in lines)
    for stranger in strangers:
        stranger.close()


def test_an_awaited_peer_is_heard_while_strangers_are_read(make: Make, foreign: Foreign) -> None:
    root = make(0, {1: 0})
    assert root.bind_all()
    with socket.create_connection(("127.0.0.1", root.port(1))):
        accepted = in_thread(root.accept_all)
        time.sleep(0.05)
        with socket.create_connection(("127.0.0.1", root.port(1))) as connection:
            for byte in seal(foreign(1).service(0, 1), b""):
                connection.sendall(bytes([byte]))
            assert accepted.result(10), root.failure
            assert read_exactly(connection, 160) == seal(Peer(0, RUN).service(1, 1), b"")


SELF_CONNECTION = """
import ctypes, sys
from participant import Budgets, Participant, load
library = load(ctypes.CDLL(sys.argv[1]))
leaf = Participant(library, 1, {0: 40000}, budgets=Budgets(connect=0.5))
assert not leaf.connect_all()
print(*leaf.failure)
"""


def test_a_connection_to_oneself_is_a_failed_try(library: ctypes.CDLL) -> None:
    """In a network of its own where the kernel has two local ports to give: each other try meets itself."""
    ports = "sysctl -qw net.ipv4.ip_local_port_range='40000 40001'"
    script = f'ip link set lo up && {ports} && exec "$0" -c "$1" "$2"'
    words = [script, sys.executable, SELF_CONNECTION, library._name]
    done = subprocess.run(
        ["unshare", "--net", "--map-root-user", "sh", "-c", *words],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode and "leaf" not in done.stderr:
        pytest.skip(f"no network namespace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("75 connect edge 0->1: 127.0.0.1:40000 for 0.5 s: ")
