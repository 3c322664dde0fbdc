"""Participants of tests: the C++ socket layer through ctypes, one object a role."""

from __future__ import annotations

import ctypes
import os
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import pytest

# Runs a test over TCP, then through shared memory: the fixtures `make` and `foreign` look at it.
EITHER_WAY = pytest.mark.parametrize("shared", [False, True], ids=["tcp", "shared"], indirect=True)
LOOPBACK = 0x7F000001
RUN = bytes(range(32))
SECOND = 10**9
PLAIN, RELAY, ADD, SWAP, AROUND = range(5)


class EdgeSpec(ctypes.Structure):
    _fields_ = (
        ("peer", ctypes.c_uint64),
        ("listen_address", ctypes.c_uint32),
        ("dial_address", ctypes.c_uint32),
        ("listen_port", ctypes.c_uint16),
        ("dial_port", ctypes.c_uint16),
        ("shared", ctypes.c_uint32),
    )


class TransferSpec(ctypes.Structure):
    _fields_ = (
        ("slot", ctypes.c_uint64),
        ("region", ctypes.c_uint64),
        ("version", ctypes.c_uint64),
        ("total", ctypes.c_uint64),
        ("element", ctypes.c_uint64),
        ("base", ctypes.c_void_p),
        ("staging", ctypes.c_void_p),
    )


@dataclass(frozen=True)
class Budgets:
    """Seconds."""

    connect: float = 10
    accept: float = 10
    wait: float = 10
    frame: float = 10
    session: float = 0

    def ns(self) -> Any:
        seconds = (self.connect, self.accept, self.wait, self.frame, self.session)
        return (ctypes.c_uint64 * 5)(*(int(value * SECOND) for value in seconds))


def load(library: ctypes.CDLL) -> ctypes.CDLL:
    library.open_participant.restype = ctypes.c_void_p
    for name in ("failure_text", "failure_kind", "take_log"):
        getattr(library, name).restype = ctypes.c_char_p
    for name in ("bind_all", "announce_to", "hear_from", "connect_all", "accept_all"):
        getattr(library, name).restype = ctypes.c_bool
    for name in ("close_slot", "exchange_all"):
        getattr(library, name).restype = ctypes.c_bool
    for name in ("port_of", "descriptor_of", "counted_leaves"):
        getattr(library, name).restype = ctypes.c_int64
    return library


class Participant:
    """A role in C++; a method that fails returns False, and `failure` says why."""

    def __init__(
        self,
        library: ctypes.CDLL,
        role: int,
        peers: dict[int, int],
        *,
        run: bytes = RUN,
        frame_bytes: int = 1 << 16,
        budgets: Budgets | None = None,
        room: int = 64,
        shared: bool = False,
    ) -> None:
        """`peers`: the port to dial (a lower peer) or to listen on (a higher one; 0: any), by role."""
        edges = [
            EdgeSpec(peer, LOOPBACK, LOOPBACK, port if role < peer else 0, 0 if role < peer else port, shared)
            for peer, port in sorted(peers.items())
        ]
        self.library = library
        self.slots = {edge.peer: slot for slot, edge in enumerate(edges)}
        self.handle = ctypes.c_void_p(
            library.open_participant(
                ctypes.c_uint64(role),
                run,
                ctypes.c_uint64(frame_bytes),
                (budgets or Budgets()).ns(),
                (EdgeSpec * len(edges))(*edges),
                ctypes.c_uint64(len(edges)),
                ctypes.c_uint64(room),
            )
        )

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(self.library, name)
        return lambda *words: function(self.handle, *words)

    def port(self, peer: int) -> int:
        return int(self.port_of(self.slots[peer]))

    def close(self, peer: int) -> bool:
        return bool(self.close_slot(ctypes.c_uint64(self.slots[peer])))

    def exchange(self, inbound: list[TransferSpec], outbound: list[TransferSpec], mode: int = PLAIN) -> bool:
        return bool(
            self.exchange_all(
                (TransferSpec * len(inbound))(*inbound),
                ctypes.c_uint64(len(inbound)),
                (TransferSpec * len(outbound))(*outbound),
                ctypes.c_uint64(len(outbound)),
                mode,
            )
        )

    def transfer(
        self,
        peer: int,
        buffer: Any,
        *,
        region: int = 0,
        version: int = 1,
        element: int = 1,
        staging: Any = None,
    ) -> TransferSpec:
        """One direction of the edge to `peer`; `buffer` is a ctypes array, kept alive by the caller."""
        return TransferSpec(
            self.slots[peer],
            region,
            version,
            ctypes.sizeof(buffer),
            element,
            ctypes.addressof(buffer),
            None if staging is None else ctypes.addressof(staging),
        )

    @property
    def failure(self) -> tuple[int, str, str]:
        """Exit code, kind, text; (0, "none", "") without one."""
        return self.failure_code(), self.failure_kind().decode(), self.failure_text().decode()

    def socket(self, peer: int) -> socket.socket:
        """The edge's socket, to look at its options."""
        return socket.socket(fileno=os.dup(self.descriptor_of(ctypes.c_uint64(self.slots[peer]))))

    def free(self) -> None:
        self.library.free_participant(self.handle)


def array(data: bytes) -> Any:
    return (ctypes.c_uint8 * len(data)).from_buffer_copy(data)


def in_thread(function: Callable[[], Any]) -> Future[Any]:
    """Runs at once; `result(timeout)` gives the value."""
    future: Future[Any] = Future()

    def work() -> None:
        try:
            future.set_result(function())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=work, daemon=True).start()
    return future
