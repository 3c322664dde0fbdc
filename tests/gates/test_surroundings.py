"""What a process may find around it: closed and full descriptors, limits, no folder, odd arguments."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.relay import relay_text
from alpha_build.gates.systems import IMPATIENT
from alpha_build.run import launch, run_build
from alpha_build.run.artifacts import Artifact, command

pytestmark = pytest.mark.gates

END_S = 60.0  # no claim: budgets are a second, a loaded machine may take long to start a process
ACCEPT, CONNECT, LOCAL, USAGE = 76, 75, 79, 64


@pytest.fixture(scope="module")
def pair(session: Bench) -> Dist:
    """One transfer from role 0 to role 1, with budgets of a second."""
    return session.dist(IMPATIENT)


@contextmanager
def full_pipe() -> Iterator[int]:
    """The writing end of a pipe that holds all it can, and that nobody reads."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    try:
        while True:
            os.write(writes, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writes, True)
    try:
        yield writes
    finally:
        os.close(reads)
        os.close(writes)


@contextmanager
def broken_pipe() -> Iterator[int]:
    reads, writes = os.pipe()
    os.close(reads)
    yield writes
    os.close(writes)


@contextmanager
def full_disk() -> Iterator[int]:
    with open("/dev/full", "wb") as file:
        yield file.fileno()


def closing(*descriptors: int) -> Callable[[], None]:
    return lambda: [os.close(descriptor) for descriptor in descriptors] and None


def limited(what: int, value: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(what, (value, value))


def leaving() -> None:
    """Into a folder that is no more."""
    folder = f"/tmp/alpha-build-gone-{os.getpid()}"
    os.mkdir(folder)
    os.chdir(folder)
    os.rmdir(folder)


Around = tuple[dict[str, Any], int, bytes]
AROUND: dict[str, Around] = {
    # what is given to Popen (a context manager is entered first), exit code, words on descriptor 2
    "nothing open": ({"preexec_fn": closing(0, 1, 2)}, ACCEPT, b""),
    "descriptor 2 closed": ({"preexec_fn": closing(2)}, ACCEPT, b""),
    "nobody reads descriptor 2": ({"stderr": full_pipe}, ACCEPT, b""),
    "nobody ever will": ({"stderr": broken_pipe}, ACCEPT, b""),
    "descriptor 2 on a full disk": ({"stderr": full_disk}, ACCEPT, b""),
    "nobody reads the ports": ({"stdout": broken_pipe}, LOCAL, b"descriptor 1: broken pipe"),
    "ports on a full disk": ({"stdout": full_disk}, LOCAL, b"descriptor 1: no space left on device"),
    "no folder": ({"preexec_fn": leaving}, ACCEPT, b"no opening frame"),
    "no environment": ({"env": {}}, ACCEPT, b"no opening frame"),
    "a session of its own": ({"start_new_session": True}, ACCEPT, b"no opening frame"),
    "no file may grow": ({"preexec_fn": limited(resource.RLIMIT_FSIZE, 0)}, ACCEPT, b"no opening frame"),
    "a small stack": ({"preexec_fn": limited(resource.RLIMIT_STACK, 1 << 16)}, ACCEPT, b"no opening frame"),
}


def test_a_role_ends_by_itself_whatever_is_around_it(pair: Dist, tmp_path: Path) -> None:
    """All at once, since each waits a second for a peer that does not come."""
    with ExitStack() as stack:
        started = {}
        for name, (options, _, _) in AROUND.items():
            given: dict[str, Any] = {"stdin": subprocess.DEVNULL, "cwd": tmp_path}
            given |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
            for key, value in options.items():
                opened = key in ("stdout", "stderr")
                given[key] = stack.enter_context(value()) if opened else value
            started[name] = subprocess.Popen([pair.artifact(0)], **given)
            stack.callback(started[name].kill)
        for name, (_, code, words) in AROUND.items():
            _, said = started[name].communicate(timeout=END_S)
            assert started[name].returncode == code, (name, said)
            assert words in (said or b""), (name, said)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--wrong"], 'unknown argument "--wrong"'),
        ([""], 'unknown argument ""'),
        (["x" * 100_000], 'unknown argument "xxx'),
        ([b"\xff\n\x1b[31m"], 'unknown argument "\ufffd\\u000a\\u001b[31m"'),
        (["--flight"] * 1000 + ["--state"], 'no value after "--state"'),
        (["--state", ""], 'no value after "--state"'),
    ],
)
def test_arguments_that_there_are_not(pair: Dist, arguments: list[Any], words: str) -> None:
    done = subprocess.run([pair.artifact(0), *arguments], capture_output=True, timeout=END_S)
    said = done.stderr.decode(errors="replace")
    assert done.returncode == USAGE and words in said, said
    assert said.startswith("alpha-build: role 0: usage: ") and said.count("\n") == 1 and done.stdout == b""


def test_ports_that_are_none(pair: Dist, tmp_path: Path) -> None:
    def heard(**options: Any) -> str:
        done = subprocess.run([pair.artifact(1)], capture_output=True, timeout=END_S, **options)
        assert done.returncode == CONNECT
        return done.stderr.decode()

    assert "no port on descriptor 0: end of stream" in heard(preexec_fn=closing(0))
    assert "no port on descriptor 0: end of stream" in heard(input=b"\x01")
    assert "no port on descriptor 0: got port 0" in heard(input=b"\0\0")
    folder = os.open(tmp_path, os.O_RDONLY)
    assert "no port on descriptor 0: is a folder" in heard(stdin=folder)
    os.close(folder)


def test_waiting_costs_no_processor_time(session: Bench, pair: Dist) -> None:
    """Two seconds of waiting for a frame from a peer that is there and silent."""
    with session.peer(pair, 0) as zero:
        (port,) = zero.bind([1])
        one = subprocess.Popen([pair.artifact(1)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert one.stdin is not None
        one.stdin.write(port.to_bytes(2, "big"))
        one.stdin.close()
        zero.accept(1)
        _, status, used = os.wait4(one.pid, 0)
        one.returncode = os.waitstatus_to_exitcode(status)
    assert one.returncode == 77
    assert used.ru_utime + used.ru_stime < 0.05 * 2


def test_ports_are_free_for_the_next_start_at_once(session: Bench) -> None:
    """Interrupted with its edges open twenty times: the same ports are listened on at once."""
    from alpha_build.gates.establishment import bound

    relay = bound(session, session.dist(relay_text()))
    for _ in range(20):
        with session.starting() as start, session.peer(relay, 1) as one, session.peer(relay, 2) as two:
            root = start(relay, 0)
            assert root.ports == [edge["port"] for edge in relay.entry(0)["edges"]], root.end().said
            for peer, edge in zip((one, two), relay.entry(0)["edges"], strict=True):
                peer.connect(0, edge["port"], address=edge["address"])
            root.process.send_signal(signal.SIGINT)
            assert root.end().status == -signal.SIGINT


def test_a_file_that_may_not_grow_is_named(
    fit_dist: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The signal that comes with it would say nothing."""

    def small(artifact: Artifact) -> list[str]:
        argv = command(artifact)
        return ["prlimit", "--fsize=100", *argv] if artifact.role == 1 else argv

    monkeypatch.setattr(launch, "command", small)
    outcome = run_build(fit_dist.path, tmp_path / "state", json=True)
    assert not outcome.ok and outcome.cause is not None and outcome.cause.role == 1
    (own,) = [end for end in outcome.ends if end.role == 1]
    assert own.exit == 80 and "/generation-1/" in own.text and ": file too large" in own.text, (
        outcome.as_json()
    )
    assert not list((tmp_path / "state").glob("role-*/published"))
