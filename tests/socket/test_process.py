"""A freestanding participant of each target against the foreign peer; what step 0 does to a process."""

from __future__ import annotations

import os
import random
import resource
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from foreign.peer import BYTES, Peer
from native import TARGETS, X86_64, Target, compile_executable

Foreign = Callable[..., Peer]


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> Target:
    found: Target = request.param
    return found


@pytest.fixture(scope="module")
def driver(target: Target, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("process") / "driver"
    source = Path(__file__).with_name("process_driver.cpp")
    return compile_executable(target, source, out, "base", "frame", "socket")


def test_a_pair_across_targets(target: Target, driver: list[str], foreign: Foreign) -> None:
    peer = foreign(0, frame_bytes=1 << 14)
    (port,) = peer.bind([1])
    process = subprocess.Popen(
        [*driver, "pair"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdin is not None
        process.stdin.write(port.to_bytes(2, "big"))
        process.stdin.flush()
        peer.accept(1)
        payload = random.Random(1).randbytes(100_000)
        peer.send(1, 0, 1, BYTES, payload)
        assert peer.receive(1, 0, 1, BYTES, 100_000) == payload
        peer.close(1)
        out, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 0, said
    assert out == b""  # it announces no port, and nothing else is ever written there
    if target is not X86_64 or "sha_ni" in Path("/proc/cpuinfo").read_text():
        assert b"portable" not in said


def test_step_0_closes_what_was_left_open_and_opens_what_was_closed(driver: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    null = os.open("/dev/null", os.O_RDONLY)
    try:
        command = [*driver, "descriptors"]
        inherited = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, pass_fds=[null], timeout=30)
        closed = subprocess.run(
            ["sh", "-c", 'exec "$@" 0<&- 1>&-', "sh", *command], stderr=subprocess.PIPE, timeout=30
        )
    finally:
        os.close(null)
        os.close(write)
    assert inherited.stderr.splitlines() == [b"0 1 2 ", b"broken pipe"]
    assert closed.stderr.splitlines() == [b"0 1 2 ", b"written"]


def test_descriptors_for_every_edge_or_a_refusal(target: Target, driver: list[str]) -> None:
    if target.emulator:
        pytest.skip("the emulator keeps limits of its own")

    def limited(soft: int, hard: int) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [*driver, "edges"],
            capture_output=True,
            timeout=30,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard)),
        )

    assert limited(256, 4096).returncode == 0  # the soft limit is raised
    refused = limited(256, 512)
    assert refused.returncode == 78
    assert b"descriptors: 2016 needed, 512 allowed" in refused.stderr
