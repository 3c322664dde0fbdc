"""A freestanding participant of each target against the foreign peer; what step 0 does to a process."""

from __future__ import annotations

import hashlib
import os
import random
import resource
import shutil
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from alpha_build.gates.peer import BYTES, Peer, seal
from native import OWN_TARGETS, TARGETS, X86_64, Target, compile_executable

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


PAYLOAD = random.Random(1).randbytes(100_000)
OURS = bytes(i % 251 for i in range(100_000))


def played(
    driver: list[str], foreign: Foreign, play: Callable[[Peer], object], *tracer: str
) -> tuple[int, bytes, bytes]:
    """Role 1 as a process, role 0 as `play` after both have connected; exit code and what role 1 wrote."""
    peer = foreign(0, frame_bytes=1 << 14)
    (port,) = peer.bind([1])
    process = subprocess.Popen(
        [*tracer, *driver, "pair"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdin is not None
        process.stdin.write(port.to_bytes(2, "big"))
        process.stdin.flush()
        peer.accept(1)
        play(peer)
        out, said = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out, said


def play_well(peer: Peer) -> None:
    peer.send(1, 0, 1, BYTES, PAYLOAD)
    assert peer.receive(1, 0, 1, BYTES, 100_000) == OURS
    peer.close(1)


def test_a_pair_across_targets(target: Target, driver: list[str], foreign: Foreign) -> None:
    code, out, said = played(driver, foreign, play_well)
    assert code == 0, said
    assert out == b""  # it announces no port, and nothing else is ever written there
    assert said.startswith(f"complete: {hashlib.sha256(PAYLOAD).hexdigest()} ".encode())
    if target is not X86_64 or "sha_ni" in Path("/proc/cpuinfo").read_text():
        assert b"portable" not in said


def traced(*faults: str) -> list[str]:
    if not shutil.which("strace"):
        pytest.skip("strace, which alters system calls, is not installed")
    return ["strace", "-qq", "-f", "-o", "/dev/null", *(f"--inject={fault}" for fault in faults)]


@pytest.mark.parametrize("target", OWN_TARGETS, indirect=True)
def test_every_call_is_resumed_when_interrupted(driver: list[str], foreign: Foreign) -> None:
    calls = "read,write,connect,ppoll,recvfrom,sendto,sendmsg"
    tracer = traced(f"{calls}:error=EINTR:when=1+2")
    code, _, said = played(driver, foreign, play_well, *tracer)
    assert (code, said[:9]) == (0, b"complete:")


@pytest.mark.parametrize("target", OWN_TARGETS, indirect=True)
@pytest.mark.parametrize(
    ("error", "words"),
    [("EHOSTUNREACH", "no route to host"), ("ENOBUFS", "no buffer space"), ("EBADMSG", "error")],
)
def test_an_error_on_sending_alone_ends_the_exchange(
    driver: list[str], foreign: Foreign, error: str, words: str
) -> None:
    """Nothing is to be read, the connection stands, and still nobody waits for a budget."""
    tracer = traced(f"sendmsg:error={error}:when=2+")
    code, _, said = played(driver, foreign, lambda peer: None, *tracer)
    assert code == 74
    text = f"edge 1->0 region 0: {words} when sending version 1 offset 16384"
    assert said.decode() == f"alpha-build: role 1: refused (truncated): {text}\n"


def accepted(driver: list[str], foreign: Foreign, *tracer: str) -> tuple[int, bytes, bytes]:
    """Role 0 as a process, which is told of nothing and announces its one port."""
    peer = foreign(1)
    command = [*tracer, *driver, "accept"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        said = process.stdout.read(2)
        peer.connect(0, int.from_bytes(said, "big"))
        peer.close(0)
        out, lines = process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out, lines


def test_a_listener_announces_two_bytes_and_nothing_else(driver: list[str], foreign: Foreign) -> None:
    assert accepted(driver, foreign) == (0, b"", b"complete\n")


@pytest.mark.parametrize("target", OWN_TARGETS, indirect=True)
def test_a_peer_that_dies_at_any_byte_of_its_closing_frame(driver: list[str], foreign: Foreign) -> None:
    """Only the last byte, then the end of the stream, is a clean end."""
    for sent in range(161):
        peer = foreign(1)
        command = [*driver, "accept"]
        with subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process:
            assert process.stdout is not None
            peer.connect(0, int.from_bytes(process.stdout.read(2), "big"))
            peer.connections[0].sendall(seal(peer.service(0, 2), b"")[:sent])
            peer.connections[0].shutdown(socket.SHUT_WR)
            _, said = process.communicate(timeout=30)
        if sent == 160:
            assert (process.returncode, said) == (0, b"complete\n")
        else:
            assert process.returncode == 74, (sent, said)
            assert said.startswith(b"alpha-build: role 0: refused (truncated): edge 1->0 closing: "), said


@pytest.mark.parametrize("error", ["EMFILE", "ECONNABORTED", "EINTR", "ENOBUFS"])
@pytest.mark.parametrize("target", OWN_TARGETS, indirect=True)
def test_accepts_that_fail_are_repeated(driver: list[str], foreign: Foreign, error: str) -> None:
    tracer = traced(f"accept4:error={error}:when=1..3")
    assert accepted(driver, foreign, *tracer) == (0, b"", b"complete\n")


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


@pytest.mark.parametrize("target", OWN_TARGETS, indirect=True)
def test_descriptors_for_every_edge_or_a_refusal(driver: list[str]) -> None:
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
