"""A participant in plain Python, written from docs/frame.md and docs/endpoint.md alone.

It shares no code with the runtime, so that a mistake made on both sides of a test stays a mistake.
"""

from __future__ import annotations

import hashlib
import socket
import struct
from dataclasses import dataclass, field

MAGIC = b"ALPHAFR1"
SERVICE_REGION = 2**64 - 1
BYTES, F32, F64, I32, I64, WORD = 1, 2, 3, 4, 5, 6
HEADER = struct.Struct(">8s32s7QI28s")


def payload_digest(payload: bytes) -> bytes:
    leaves = (payload[i : i + 4096] for i in range(0, len(payload), 4096))
    return hashlib.sha256(b"".join(hashlib.sha256(leaf).digest() for leaf in leaves)).digest()


@dataclass(frozen=True)
class Head:
    """The header's fields; `replace` one of them to tell a lie."""

    run: bytes
    sender: int
    receiver: int
    region: int
    version: int
    offset: int
    extent: int
    total: int
    element: int
    magic: bytes = MAGIC
    zero: bytes = bytes(28)

    def pack(self) -> bytes:
        return HEADER.pack(
            self.magic, self.run, self.sender, self.receiver, self.region, self.version, self.offset,
            self.extent, self.total, self.element, self.zero,
        )  # fmt: skip


def seal(head: Head, payload: bytes) -> bytes:
    packed = head.pack()
    return packed + payload + hashlib.sha256(packed + payload_digest(payload)).digest()


def read_exactly(connection: socket.socket, count: int) -> bytes:
    parts, left = [], count
    while left:
        part = connection.recv(left)
        if not part:
            raise EOFError(f"the peer closed {left} bytes before the end of {count}")
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


@dataclass
class Peer:
    """One role; `connections` maps a peer's role to its open socket."""

    role: int
    run: bytes
    frame_bytes: int = 1 << 20
    timeout_s: float = 20.0
    listeners: dict[int, socket.socket] = field(default_factory=dict)
    connections: dict[int, socket.socket] = field(default_factory=dict)

    def bind(self, higher: list[int]) -> list[int]:
        """Listens once for each higher peer; returns the ports, in order."""
        for peer in sorted(higher):
            listener = socket.create_server(("127.0.0.1", 0))
            listener.settimeout(self.timeout_s)
            self.listeners[peer] = listener
        return [self.listeners[peer].getsockname()[1] for peer in sorted(higher)]

    def service(self, peer: int, version: int) -> Head:
        return Head(self.run, self.role, peer, SERVICE_REGION, version, 0, 0, 0, BYTES)

    def connect(
        self, peer: int, port: int, opening: bytes | None = None, address: str = "127.0.0.1"
    ) -> bytes:
        """Dials a lower peer and swaps opening frames; returns the one that came."""
        connection = socket.create_connection((address, port), timeout=self.timeout_s)
        self.connections[peer] = connection
        connection.sendall(opening or seal(self.service(peer, 1), b""))
        return read_exactly(connection, 160)

    def accept(self, peer: int) -> bytes:
        connection, _ = self.listeners[peer].accept()
        connection.settimeout(self.timeout_s)
        self.connections[peer] = connection
        self.listeners.pop(peer).close()
        came = read_exactly(connection, 160)
        connection.sendall(seal(self.service(peer, 1), b""))
        return came

    def frames(self, head: Head, payload: bytes) -> list[bytes]:
        """A whole region as sealed frames; `head` gives identity, region, version and element."""
        from dataclasses import replace

        cuts = range(0, len(payload), self.frame_bytes) if payload else [0]
        return [
            seal(
                replace(head, offset=at, extent=len(payload[at : at + self.frame_bytes]), total=len(payload)),
                payload[at : at + self.frame_bytes],
            )
            for at in cuts
        ]

    def head(self, receiver: int, region: int, version: int, element: int) -> Head:
        return Head(self.run, self.role, receiver, region, version, 0, 0, 0, element)

    def send(self, peer: int, region: int, version: int, element: int, payload: bytes) -> None:
        for frame in self.frames(self.head(peer, region, version, element), payload):
            self.connections[peer].sendall(frame)

    def receive(self, peer: int, region: int, version: int, element: int, total: int) -> bytes:
        """One region from `peer`, every frame compared byte for byte with the one that must come."""
        out = b""
        while True:
            extent = min(self.frame_bytes, total - len(out))
            head = Head(self.run, peer, self.role, region, version, len(out), extent, total, element)
            came = read_exactly(self.connections[peer], 128 + extent + 32)
            assert came[:128] == head.pack(), f"expected {head}, got {HEADER.unpack(came[:128])}"
            assert came == seal(head, came[128:-32]), "trailer"
            out += came[128:-32]
            if len(out) == total:
                return out

    def close(self, peer: int) -> None:
        """Closing frame, half-close, the peer's closing frame, end of stream."""
        connection = self.connections.pop(peer)
        connection.sendall(seal(self.service(peer, 2), b""))
        connection.shutdown(socket.SHUT_WR)
        came = read_exactly(connection, 160)
        expected = Head(self.run, peer, self.role, SERVICE_REGION, 2, 0, 0, 0, BYTES)
        assert came == seal(expected, b""), "closing frame"
        assert connection.recv(1) == b"", "a byte follows the closing frame"
        connection.close()

    def abandon(self) -> None:
        for open_socket in (*self.listeners.values(), *self.connections.values()):
            open_socket.close()
