"""Peers and strangers that mean harm, on executables as they are: what they say, and when."""

from __future__ import annotations

import platform
import socket
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import LeftOut
from alpha_build.gates.peer import F32, Head, read_exactly, seal
from alpha_build.gates.refusals import relay_on
from alpha_build.gates.relay import play_role_1, play_root, relay_text
from alpha_build.gates.sums import contribution, foreign_target
from alpha_build.gates.systems import summing

pytestmark = pytest.mark.gates


@pytest.fixture(scope="module")
def relay(session: Bench) -> Dist:
    return session.dist(relay_text())


@pytest.fixture(scope="module", params=["this machine's", "the other"])
def either(request: pytest.FixtureRequest, session: Bench) -> Dist:
    """relay.py on one instruction set and the other, as gate refusals has it."""
    try:
        here = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
        return session.dist(relay_on(here if request.param == "this machine's" else foreign_target()))
    except LeftOut as why:
        pytest.skip(str(why))


def dial(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def unanswered(connection: socket.socket, said: bytes) -> bool:
    with connection, suppress(ConnectionError, EOFError):
        connection.sendall(said)
        read_exactly(connection, 160)
        return False
    return True


def listened_on(port: int) -> bool:
    with suppress(ConnectionRefusedError):
        dial(port).close()
        return True
    return False


def reset(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


Say = Callable[[Head], bytes]
# In place of the opening frame, and how it is refused; the edge's direction is put before it.
OPENINGS: dict[str, tuple[Say, int, str]] = {
    "of another run": (lambda head: seal(replace(head, run=bytes(32)), b""), 70, "expected run "),
    "another edge's": (lambda head: seal(replace(head, sender=2), b""), 71, "expected sender "),
    "with the other's own number": (lambda head: seal(replace(head, sender=head.receiver), b""), 71, ""),
    "to somebody else": (lambda head: seal(replace(head, receiver=2), b""), 71, "expected receiver "),
    "a closing frame": (
        lambda head: seal(replace(head, version=2), b""),
        72, "expected version 1 offset 0, got version 2 offset 0",
    ),
    "with a payload": (lambda head: seal(replace(head, extent=1, total=1), b"!"), 73, "extent 0, got 1"),
    "with another digest": (lambda head: seal(head, b"")[:-1] + b"\0", 73, "the trailer is not the digest"),
    "a first frame at once": (
        lambda head: seal(replace(head, region=2, extent=32, total=32, element=F32), bytes(32)),
        71, "expected region 18446744073709551615, got 2",
    ),
}  # fmt: skip
KINDS = {70: "frame", 71: "edge", 72: "version", 73: "bytes", 74: "truncated"}


@pytest.mark.parametrize("name", OPENINGS)
def test_an_opening_frame_to_the_lower_role(session: Bench, either: Dist, name: str) -> None:
    say, code, words = OPENINGS[name]
    with session.starting() as start, session.peer(either, 1) as one:
        root = start(either, 0)
        one.connect(0, root.ports[0], say(one.service(0, 1)))
        ended = root.end()
    assert ended.said.startswith(f"alpha-build: role 0: refused ({KINDS[code]}): edge 1->0 opening: ")
    assert (ended.status, ended.said.count("\n")) == (code, 1) and words in ended.said, ended.said


@pytest.mark.parametrize("name", OPENINGS)
def test_an_opening_frame_to_the_higher_role(session: Bench, either: Dist, name: str) -> None:
    say, code, words = OPENINGS[name]
    with session.starting() as start, session.peer(either, 0) as zero:
        one = start(either, 1, zero.bind([1]))
        connection, _ = zero.listeners[1].accept()
        with connection:
            connection.settimeout(20)
            read_exactly(connection, 160)
            connection.sendall(say(zero.service(1, 1)))
            ended = one.end()
    assert ended.said.startswith(f"alpha-build: role 1: refused ({KINDS[code]}): edge 0->1 opening: ")
    assert (ended.status, ended.said.count("\n")) == (code, 1) and words in ended.said, ended.said


@pytest.mark.parametrize("leave", [reset, socket.socket.close], ids=["by reset", "by end of stream"])
@pytest.mark.parametrize("count", [0, 1, 128, 159])
def test_an_opening_frame_that_breaks_off_is_asked_for_again(
    session: Bench, relay: Dist, leave: Callable[[socket.socket], None], count: int
) -> None:
    """A relay may be there before the peer: the next try finds it."""
    with session.starting() as start, session.peer(relay, 0) as zero:
        ports = zero.bind([1, 2])
        leaves = [start(relay, 1, [ports[0]]), start(relay, 2, [ports[1]])]
        connection, _ = zero.listeners[1].accept()
        connection.settimeout(20)
        read_exactly(connection, 160)
        connection.sendall(seal(zero.service(1, 1), b"")[:count])
        leave(connection)
        play_root(zero)
        for ended in (leaf.end() for leaf in leaves):
            assert ended.status == 0, ended.said


def test_an_opening_frame_that_is_one_s_own(session: Bench, relay: Dist) -> None:
    """As from a server that sends back what it gets."""
    with session.starting() as start, session.peer(relay, 0) as zero:
        one = start(relay, 1, zero.bind([1]))
        echo, _ = zero.listeners[1].accept()
        with echo:
            echo.settimeout(20)
            echo.sendall(read_exactly(echo, 160))
            ended = one.end()
    assert ended.status == 71
    assert "refused (edge): edge 0->1 opening: expected sender 0, got 1" in ended.said


@pytest.mark.parametrize("version", [1, 2], ids=["the opening frame again", "the closing frame"])
def test_a_service_frame_too_soon(session: Bench, relay: Dist, version: int) -> None:
    with session.starting() as start, session.peer(relay, 1) as one, session.peer(relay, 2) as two:
        root = start(relay, 0)
        one.connect(0, root.ports[0])
        two.connect(0, root.ports[1])
        one.connections[0].sendall(seal(one.service(0, version), b""))
        ended = root.end()
    words = "refused (edge): edge 1->0 region 2: expected region 2, got 18446744073709551615"
    assert ended.status == 71 and words in ended.said, ended.said


# In place of the closing frame.
CLOSINGS: dict[str, tuple[Say, int, str]] = {
    "twice": (lambda head: 2 * seal(head, b""), 73, ": a byte after the closing frame"),
    "and a byte": (lambda head: seal(head, b"") + b"!", 73, ": a byte after the closing frame"),
    "and a frame": (
        lambda head: seal(head, b"") + seal(replace(head, region=2, version=4, element=F32), b""),
        73, ": a byte after the closing frame",
    ),
    "with another digest": (
        lambda head: seal(head, b"")[:-1] + b"\0",
        73, " closing: version 2 offset 0: the trailer is not the digest",
    ),
    "of another version": (
        lambda head: seal(replace(head, version=3), b""),
        72, " closing: expected version 2 offset 0, got version 3 offset 0",
    ),
    "with a reserved bit": (
        lambda head: seal(replace(head, zero=b"\x80" + bytes(27)), b""), 70, " closing: ",
    ),
    "all but a byte": (
        lambda head: seal(head, b"")[:159], 74, " closing: end of stream after 159 of 160 bytes",
    ),
    "none": (lambda head: b"", 74, " closing: end of stream before version 2 offset 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", CLOSINGS)
def test_a_closing_frame_to_the_lower_role(session: Bench, either: Dist, name: str) -> None:
    say, code, words = CLOSINGS[name]
    with session.starting() as start, session.peer(either, 1) as one:
        root = start(either, 0)
        start(either, 2, [root.ports[1]])
        one.connect(0, root.ports[0])
        play_role_1(one, close=False)
        _say_and_end(one.connections[0], say(one.service(0, 2)))
        ended = root.end()
    assert ended.status == code and f"refused ({KINDS[code]}): edge 1->0{words}" in ended.said, ended.said


@pytest.mark.parametrize("name", CLOSINGS)
def test_a_closing_frame_to_the_higher_role(session: Bench, either: Dist, name: str) -> None:
    say, code, words = CLOSINGS[name]
    with session.starting() as start, session.peer(either, 0) as zero:
        ports = zero.bind([1, 2])
        one = start(either, 1, [ports[0]])
        start(either, 2, [ports[1]])
        play_root(zero, close=False)
        _say_and_end(zero.connections[1], say(zero.service(1, 2)))
        ended = one.end()
    assert ended.status == code and f"refused ({KINDS[code]}): edge 0->1{words}" in ended.said, ended.said


def _say_and_end(connection: socket.socket, said: bytes) -> None:
    """The other may refuse what it has read, and be gone before the end."""
    connection.sendall(said)
    with suppress(OSError):
        connection.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("leave", [reset, socket.socket.close], ids=["by reset", "by end of stream"])
def test_a_peer_that_goes_while_it_is_written_to(
    session: Bench, relay: Dist, leave: Callable[[socket.socket], None]
) -> None:
    """Two frames are on their way to it: a named end, and no signal."""
    with session.starting() as start, session.peer(relay, 1) as one, session.peer(relay, 2) as two:
        root = start(relay, 0)
        one.connect(0, root.ports[0])
        leave(one.connections.pop(0))
        two.connect(0, root.ports[1])
        ended = root.end()
    assert ended.status == 74 and "refused (truncated): edge " in ended.said, ended.said


def test_an_opening_frame_byte_by_byte(session: Bench, relay: Dist) -> None:
    with session.starting() as start, session.peer(relay, 1) as one:
        root = start(relay, 0)
        two = start(relay, 2, [root.ports[1]])
        one.connections[0] = dial(root.ports[0])
        for byte in seal(one.service(0, 1), b""):
            one.connections[0].sendall(bytes([byte]))
            time.sleep(0.001)
        read_exactly(one.connections[0], 160)
        play_role_1(one)
        for ended in (root.end(), two.end()):
            assert ended.status == 0, ended.said


def test_scanners_by_the_hundred(session: Bench, relay: Dist) -> None:
    """They say a byte and reset; nobody reads what the root logs of them meanwhile."""
    count = 800  # lines of them would fill a pipe
    with session.starting() as start, session.peer(relay, 1) as one:
        root = start(relay, 0)
        two = start(relay, 2, [root.ports[1]])
        for _ in range(count):
            scanner = dial(root.ports[0])
            scanner.sendall(b"A")
            reset(scanner)
        one.connect(0, root.ports[0])
        play_role_1(one)
        ended = root.end()
        assert two.end().status == 0
    lines = ended.said.splitlines()
    assert ended.status == 0 and lines[-1] == "alpha-build: role 0: complete", lines[-3:]
    assert len(lines) <= 34 and ": stranger on edge 1->0: 127.0.0.1:" in lines[0]
    assert lines[-2].endswith(" further strangers on edge 1->0"), lines[-3:]


def test_the_first_of_two_that_say_the_same_is_the_peer(session: Bench, relay: Dist) -> None:
    """The second is closed unanswered, and later ones find no listener."""
    with session.starting() as start, session.peer(relay, 1) as one:
        root = start(relay, 0)
        first, second = dial(root.ports[0]), dial(root.ports[0])
        opening = seal(one.service(0, 1), b"")
        first.sendall(opening)
        read_exactly(first, 160)
        assert unanswered(second, opening)
        deadline = time.monotonic() + 20
        while listened_on(root.ports[0]):  # its listener goes right after
            assert time.monotonic() < deadline
        two = start(relay, 2, [root.ports[1]])
        one.connections[0] = first
        play_role_1(one)
        for ended in (root.end(), two.end()):
            assert ended.status == 0, ended.said


def test_no_byte_reaches_a_sum_before_its_trailer(session: Bench) -> None:
    """Role 1 of a tree between peers: what goes up holds the frames that were whole, and no other byte."""
    tree = session.dist(summing(7, "Tree(fanout=2)"))  # as gate tree has it
    left, right = (edge["peer"] for edge in tree.entry(1)["edges"] if edge["side"] == "lower")
    with (
        session.starting() as start,
        session.peer(tree, 0) as zero,
        session.peer(tree, left) as good,
        session.peer(tree, right) as bad,
    ):
        one = start(tree, 1, zero.bind([1]))
        zero.accept(1)
        good.connect(1, one.ports[0])
        bad.connect(1, one.ports[1])
        values = [contribution(role, 0) for role in (1, left, right)]
        good.send(1, 0, 1, F32, values[1].tobytes())
        frames = bad.frames(bad.head(1, 0, 1, F32), values[2].tobytes())
        spoiled = frames[1][:-1] + bytes([frames[1][-1] ^ 1])
        bad.connections[1].sendall(frames[0] + spoiled + frames[2])
        came = b""
        with suppress(ConnectionError):
            while part := zero.connections[1].recv(65_536):
                came += part
        ended = one.end()
    assert ended.status == 73 and f"edge {right}->1 region 0: version 1 offset 64: the trailer" in ended.said
    first = (values[0] + values[1] + values[2])[:16]
    whole = seal(replace(zero.head(0, 0, 1, F32), sender=1, extent=64, total=132), first.tobytes())
    assert came in (b"", whole), np.frombuffer(came[128:192], "<f4")
