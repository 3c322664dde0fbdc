"""A shared edge in plain Python, written from docs/endpoint.md alone, as peer.py is."""

from __future__ import annotations

import fcntl
import mmap
import os
import select
import socket
import time
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Lock

from alpha_build.gates.peer import Peer, seal

RING_BYTES = 1 << 20
HEAD_BYTES = 4096
MEMORY_BYTES = HEAD_BYTES + 2 * RING_BYTES
SIDE_BYTES, WRITTEN, TAKEN, ASLEEP = 384, 0, 128, 256
F_ADD_SEALS, F_GET_SEALS = 1033, 1034
SEALS = 1 | 2 | 4  # sealed: neither shorter nor longer
LOWER, HIGHER = 0, 1
TICK_S = 0.02  # between looks: the bell only makes it sooner


def ring_name(port: int) -> bytes:
    return f"\0alpha-build 127.0.0.1:{port}".encode().ljust(108, b"\0")


def local_socket(timeout_s: float) -> socket.socket:
    made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    made.settimeout(timeout_s)
    return made


def new_memory(size: int = MEMORY_BYTES, seals: int = SEALS) -> int:
    """A descriptor of memory without a name."""
    fd = os.memfd_create("ring", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.truncate(fd, size)
    fcntl.fcntl(fd, F_ADD_SEALS, seals)
    return fd


class RingConnection:
    """Behaves like an edge's socket; `over_tcp` counts what came over its connection after the opening."""

    def __init__(self, connection: socket.socket, bell: socket.socket, memory: int, own: int) -> None:
        self.connection, self.bell, self.own = connection, bell, own
        self.map = mmap.mmap(memory, MEMORY_BYTES)
        self.counts = memoryview(self.map)[:HEAD_BYTES].cast("Q")  # each is read and written in one piece
        os.close(memory)
        self.written = self.taken = self.over_tcp = 0
        self._fence = Lock()

    def count(self, side: int, field: int) -> int:
        with self._fence:
            return self.counts[(side * SIDE_BYTES + field) // 8]

    def tell(self, field: int, count: int) -> None:
        """Writes one of our own counts, and wakes the other side up if it sleeps."""
        with self._fence:
            self.counts[(self.own * SIDE_BYTES + field) // 8] = count
        with self._fence:
            asleep = (1 - self.own) * SIDE_BYTES + ASLEEP
            if self.map[asleep]:
                self.map[asleep] = 0
                with suppress(OSError):  # it is gone: the connection says so
                    self.bell.send(b"\0")

    def sendall(self, data: bytes) -> None:
        start = HEAD_BYTES + self.own * RING_BYTES
        deadline = time.monotonic() + (self.connection.gettimeout() or 60)
        while data:
            room = RING_BYTES - (self.written - self.count(1 - self.own, TAKEN))
            at = self.written % RING_BYTES
            piece, data = data[: min(room, RING_BYTES - at)], data[min(room, RING_BYTES - at) :]
            self.map[start + at : start + at + len(piece)] = piece
            self.written += len(piece)
            self.tell(WRITTEN, self.written)
            if not piece and (self._stirs() is self.connection or time.monotonic() > deadline):
                raise BrokenPipeError("the other side takes nothing more")

    def recv(self, size: int) -> bytes:
        start = HEAD_BYTES + (1 - self.own) * RING_BYTES
        deadline = time.monotonic() + (self.connection.gettimeout() or 60)
        spoken = False
        while time.monotonic() < deadline:
            there = self.count(1 - self.own, WRITTEN) - self.taken
            at = self.taken % RING_BYTES
            if there:
                piece = self.map[start + at : start + at + min(there, size, RING_BYTES - at)]
                self.taken += len(piece)
                self.tell(TAKEN, self.taken)
                return piece
            if spoken:
                piece = self.connection.recv(size)
                self.over_tcp += len(piece)
                return piece
            spoken = self._stirs() is self.connection
        raise TimeoutError("nothing came")

    def _stirs(self) -> socket.socket | None:
        ready, _, _ = select.select([self.connection, self.bell], [], [], TICK_S)
        if self.bell in ready and not self.bell.recv(1):
            time.sleep(TICK_S)  # its end is gone: the connection says more
        return self.connection if self.connection in ready else None

    def shutdown(self, how: int) -> None:
        self.connection.shutdown(how)

    def setsockopt(self, level: int, option: int, value: bytes) -> None:
        self.connection.setsockopt(level, option, value)

    def close(self) -> None:
        self.connection.close()
        self.bell.close()
        self.counts.release()
        self.map.close()


@dataclass
class SharingPeer(Peer):
    """A Peer all of whose edges are shared; `rings` holds those of its connections."""

    names: dict[int, socket.socket] = field(default_factory=dict)
    rings: dict[int, RingConnection] = field(default_factory=dict)

    def bind(self, higher: list[int]) -> list[int]:
        ports = super().bind(higher)
        for peer, port in zip(sorted(higher), ports, strict=True):
            self.names[peer] = local_socket(self.timeout_s)
            self.names[peer].bind(ring_name(port))
            self.names[peer].listen()
        return ports

    def accept(self, peer: int) -> bytes:
        """Takes the ring that the higher peer passes on with the same opening frame."""
        came = super().accept(peer)
        with self.names.pop(peer) as listener:
            bell, _ = listener.accept()
        bell.settimeout(self.timeout_s)
        opening, (memory,), _, _ = socket.recv_fds(bell, 161, 1)
        assert opening == came, "another opening frame with the ring"
        assert fcntl.fcntl(memory, F_GET_SEALS) & SEALS == SEALS, "not sealed"
        assert os.fstat(memory).st_size == MEMORY_BYTES, "another size"
        self._share(peer, bell, memory, LOWER)
        bell.send(seal(self.service(peer, 1), b""))
        return came

    def connect(
        self, peer: int, port: int, opening: bytes | None = None, address: str = "127.0.0.1"
    ) -> bytes:
        came = super().connect(peer, port, opening, address)
        self.give_ring(peer, port, came)
        return came

    def connect_only(self, peer: int, port: int, opening: bytes | None = None) -> bytes:
        return super().connect(peer, port, opening)

    def give_ring(self, peer: int, port: int, came: bytes) -> None:
        """Passes a ring to the lower peer, which answers with the opening frame that came before."""
        memory = new_memory()
        bell = self.offer(peer, port, memory)
        assert bell.recv(161) == came, "another opening frame in answer to the ring"
        self._share(peer, bell, memory, HIGHER)

    def offer(self, peer: int, port: int, *memory: int, opening: bytes | None = None) -> socket.socket:
        """The bell, over which these descriptors went with an opening frame."""
        bell = local_socket(self.timeout_s)
        bell.connect(ring_name(port))
        socket.send_fds(bell, [opening or seal(self.service(peer, 1), b"")], list(memory))
        return bell

    def close(self, peer: int) -> None:
        """The closing frames go over the connection, and nothing else came that way."""
        ring = self.rings.pop(peer)
        self.connections[peer] = ring.connection
        super().close(peer)
        assert ring.over_tcp == 0 and ring.count(1 - ring.own, WRITTEN) == ring.taken, "bytes beside the ring"
        ring.close()

    def abandon(self) -> None:
        super().abandon()
        for name in self.names.values():
            name.close()

    def _share(self, peer: int, bell: socket.socket, memory: int, own: int) -> None:
        ring = RingConnection(self.connections[peer], bell, memory, own)
        self.rings[peer] = ring
        self.connections[peer] = ring  # type: ignore[assignment]
