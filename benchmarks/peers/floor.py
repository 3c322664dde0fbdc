"""The least that a hashed all-reduce costs here, by rates of the same run (docs/performance.md)."""

from __future__ import annotations

import os
import resource
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from alpha_build.frame import payload_digest

STREAM_BYTES, BLOCK_BYTES = 1 << 29, 1 << 18
PINGS, PING_BYTES = 2000, 164
TCP_CONGESTION = 13


@dataclass(frozen=True)
class Rates:
    """Seconds of a core for a byte, and of latency one way."""

    network: float  # sent and received, both ends together
    hash: float
    add: float
    latency: float

    def work(self, members: int, size: int) -> float:
        """Seconds of processor time, all participants together."""
        moved = 2 * (members - 1) * size
        hashed = moved + min(moved, members * size)  # a result once for all its receivers
        return moved * self.network + hashed * self.hash + (members - 1) * size * self.add

    def wall(self, members: int, size: int, depth: float) -> float:
        cores = min(members, len(os.sched_getaffinity(0)))
        return self.work(members, size) / cores + 2 * depth * self.latency

    def line(self) -> dict[str, Any]:
        return {
            "system": "rates of this machine", "network_ns_per_byte": round(self.network * 1e9, 4),
            "hash_GBps": round(1e-9 / self.hash, 2), "add_GBps": round(1e-9 / self.add, 2),
            "latency_us": round(self.latency * 1e6, 3),
        }  # fmt: skip


def rates() -> Rates:
    data = np.zeros(1 << 18, np.float32)
    addend = np.ones(1 << 18, np.float32)
    return Rates(
        network=_network(),
        hash=_best(lambda: payload_digest(data)) / data.nbytes,
        add=_best(lambda: np.add(data, addend, out=data)) / data.nbytes,
        latency=_latency(),
    )


def shared_rates() -> Rates:
    """With what bytes and short frames cost through memory that both ends map, as a C program finds it."""
    with tempfile.TemporaryDirectory(prefix="alpha-bench-") as folder:
        program = Path(folder) / "share_rates"
        compiler = shutil.which("cc") or "gcc"
        subprocess.run(
            [compiler, "-O2", "-o", program, Path(__file__).with_name("share_rates.c")], check=True
        )
        done = subprocess.run([program], capture_output=True, text=True, check=True, timeout=120)
    moved_ns, way_ns = map(float, done.stdout.split())
    return replace(rates(), network=moved_ns / 1e9, latency=way_ns / 1e9)


def _best(work: Any, times: int = 200) -> float:
    """The least of many: what the core does when nobody disturbs it."""
    least = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least


def _pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        near = socket.create_connection(listener.getsockname())
        far, _ = listener.accept()
    for each in (near, far):
        each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        each.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, b"reno")
    return near, far


def _network() -> float:
    """Processor time of both ends of one loopback stream, by the byte."""
    near, far = _pair()
    block = bytearray(BLOCK_BYTES)
    child = os.fork()
    if child == 0:
        for _ in range(STREAM_BYTES // BLOCK_BYTES):
            near.sendall(block)
        os._exit(0)
    near.close()
    before = _spent(resource.RUSAGE_SELF)
    while far.recv_into(block):
        pass
    received = _spent(resource.RUSAGE_SELF) - before
    _, _, used = os.wait4(child, 0)
    return (received + used.ru_utime + used.ru_stime) / STREAM_BYTES


def _latency() -> float:
    """Half of the least round trip of a short frame between two processes that never sleep."""
    near, far = _pair()
    child = os.fork()
    if child == 0:
        for _ in range(PINGS):
            near.send(_receive(near))
        os._exit(0)
    walls, frame = [], bytes(PING_BYTES)
    for _ in range(PINGS):
        start = time.perf_counter()
        far.send(frame)
        _receive(far)
        walls.append(time.perf_counter() - start)
    os.waitpid(child, 0)
    return statistics.quantiles(walls, n=20)[0] / 2


def _receive(end: socket.socket) -> bytes:
    end.setblocking(False)
    while True:
        try:
            return end.recv(PING_BYTES)
        except BlockingIOError:
            os.sched_yield()


def _spent(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime
