"""One participant in this process, over real TCP: the sessions that the executables run.

    with Endpoint(role=1, run=run, edges=[Edge(0, dial="127.0.0.1:4000")]) as endpoint:
        endpoint.bind()
        endpoint.connect()
        endpoint.accept()
        total = endpoint.receive(0, region=2, version=1, like=np.empty(6, np.float32))

Every wait releases the interpreter and ends within its budget (Ctrl-C is seen then, not before).  A failure
raises `Refused` with the kind and the words of the executables' line, and leaves no descriptor open.
`docs/endpoint.md` has the rules.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from alpha_build import _native
from alpha_build.buffers import element_of, host_array, host_bytes
from alpha_build.system.contract import Budgets
from alpha_build.system.errors import ContractFailure
from alpha_build.system.limits import FRAME_BYTES

__all__ = ["Edge", "Endpoint", "Receive", "Send"]


@dataclass(frozen=True)
class Edge:
    """One incident edge.  The lower role listens at `listen`, the higher one dials `dial` (IPv4 and port).

    Port 0: the kernel picks the listener's, and the dialling side is told it in `Endpoint.connect`.
    """

    peer: int
    listen: str = "127.0.0.1:0"
    dial: str = "127.0.0.1:0"


@dataclass(frozen=True)
class Send:
    """One use of a region that goes out; `element` is the array's type unless said ("word")."""

    peer: int
    region: int
    version: int
    payload: object
    element: str | None = None


@dataclass(frozen=True)
class Receive:
    """One use of a region that comes in: an array of `like`'s shape and type."""

    peer: int
    region: int
    version: int
    like: object
    element: str | None = None


class Endpoint:
    """A participant's edges, in ascending peer order whatever the order given."""

    def __init__(
        self,
        role: int,
        run: bytes,
        edges: Sequence[Edge],
        frame_bytes: int = FRAME_BYTES,
        budgets: Budgets | None = None,
    ) -> None:
        """`run` is the 32-byte run identity; `frame_bytes` bounds a frame's payload, in bytes."""
        rows = [(edge.peer, *_address(edge.listen), *_address(edge.dial)) for edge in edges]
        self._participant = _native.Participant(
            role=role,
            run=run,
            frame_bytes=frame_bytes,
            edges=rows,
            budgets_ns=_budgets_ns(budgets or Budgets()),
        )

    def bind(self) -> tuple[int, ...]:
        """Listen on every edge to a higher peer; returns what `announce` does."""
        self._participant.bind()
        return self.announce()

    def announce(self) -> tuple[int, ...]:
        """Ports of the edges to higher peers, in edge order."""
        return tuple(self._participant.ports())

    def connect(self, ports: Sequence[int] = ()) -> None:
        """Connect to every lower peer.  `ports`: of those dialled at port 0, in edge order."""
        self._participant.connect(list(ports))

    def accept(self) -> None:
        """Accept every higher peer, and close its listener."""
        self._participant.accept()

    def send(self, peer: int, region: int, version: int, payload: object, element: str | None = None) -> None:
        """Send one use of a region, a contiguous array or any buffer; a CUDA array is copied to the host."""
        self.exchange([Send(peer, region, version, payload, element)])

    def receive(
        self, peer: int, region: int, version: int, like: object, element: str | None = None
    ) -> NDArray[Any]:
        """Receive one use of a region as a new array of `like`'s shape and type, every frame verified."""
        (received,) = self.exchange(receives=[Receive(peer, region, version, like, element)])
        return received

    def exchange(self, sends: Sequence[Send] = (), receives: Sequence[Receive] = ()) -> list[NDArray[Any]]:
        """Run transfers on several edges at once, at most one an edge and direction; returns what came in."""
        outbound = []
        for send in sends:
            payload = host_array(send.payload)
            element = send.element or element_of(payload.dtype)
            outbound.append((send.peer, send.region, send.version, element, host_bytes(payload)))
        received = []
        inbound = []
        for receive in receives:
            like = host_array(receive.like)
            array = np.empty(like.shape, like.dtype)
            element = receive.element or element_of(like.dtype)
            received.append(array)
            inbound.append((receive.peer, receive.region, receive.version, element, host_bytes(array)))
        self._participant.exchange(outbound, inbound)
        return received

    def close(self, peer: int | None = None) -> None:
        """Exchange closing frames on one edge, or on every one that is still open."""
        if peer is None:
            self._participant.close()
        else:
            self._participant.close_peer(peer)

    def abandon(self) -> None:
        """Close every descriptor at once; peers see the edge as truncated."""
        self._participant.abandon()

    @property
    def is_open(self) -> bool:
        """Whether any descriptor is open."""
        return self._participant.is_open

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.abandon()


def _address(text: str) -> tuple[int, int]:
    """ "127.0.0.1:4000" as two numbers."""
    host, _, port = text.rpartition(":")
    try:
        address, number = int(ipaddress.IPv4Address(host)), int(port)
    except ValueError:
        number = -1
    if not 0 <= number < 1 << 16:
        raise ContractFailure(
            f'"{text}" is not an address', kind="address", hint='write it like "127.0.0.1:4000"'
        )
    return address, number


def _budgets_ns(budgets: Budgets) -> tuple[int, int, int, int, int]:
    """Connect, accept, wait, frame, session, in nanoseconds; 0: no session deadline."""
    seconds = (budgets.connect, budgets.accept, budgets.wait, budgets.frame, budgets.session or 0)
    connect, accept, wait, frame, session = (round(value * 1e9) for value in seconds)
    return connect, accept, wait, frame, session
