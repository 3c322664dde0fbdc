"""kill -9 of any role at any system call: the others end, the dead one is named, published state is whole."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from alpha_build.run import Outcome, launch, run_build
from alpha_build.run.artifacts import Artifact, command
from alpha_build.state.generation import hash_of, published
from alpha_build.state.load import states

pytestmark = [pytest.mark.gates, pytest.mark.slow]

FILE_CALLS = ["mkdirat", "openat", "write", "fsync", "renameat", "unlinkat"]
SOCKET_CALLS = ["bind", "listen", "connect", "accept4", "sendto", "recvfrom", "ppoll", "shutdown"]
needs_strace = pytest.mark.skipif(
    shutil.which("strace") is None, reason="needs strace (apt-get install strace)"
)
Traced = Callable[[int, list[str]], None]


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> Traced:
    """Runs one role of the next runs under strace with these options."""

    def trace(role: int, options: list[str]) -> None:
        def under_strace(artifact: Artifact) -> list[str]:
            argv = command(artifact)
            return ["strace", "-f", "-qq", *options, *argv] if artifact.role == role else argv

        monkeypatch.setattr(launch, "command", under_strace)

    return trace


@pytest.fixture
def untraced(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    return lambda: monkeypatch.setattr(launch, "command", command)


def calls_made(
    dist: Path, state: Path, role: int, calls: list[str], traced: Traced, log: Path
) -> dict[str, int]:
    """How often a role makes each of these calls in a whole run."""
    traced(role, ["-o", str(log), "-e", f"trace={','.join(calls)}"])
    assert run_build(dist, state, json=True).ok
    text = log.read_text()
    return {call: len(re.findall(rf"^\d+ +{call}\(", text, re.M)) for call in calls}


def killing(call: str, nth: int) -> list[str]:
    """The nth such call is the role's last moment."""
    return ["-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={nth}"]


def check_killed(outcome: Outcome, role: int) -> None:
    assert not outcome.ok
    assert outcome.cause is not None
    assert (outcome.cause.role, outcome.cause.kind) == (role, "killed"), outcome.as_json()
    assert outcome.seconds < 40  # several budgets
    starting = any(end.fate == "not started" for end in outcome.ends)
    for end in outcome.ends:
        if not starting and end.role != role:
            assert end.fate in ("failed", "complete"), outcome.as_json()
        if end.fate == "failed":
            assert end.exit in (74, 75, 76, 77)


def root_of(state: Path) -> tuple[int, str]:
    """Generation and state hash that the root's pointer leads to, every byte checked."""
    generation = published(state / "role-0")
    return generation.generation, hash_of(generation)


@needs_strace
@pytest.mark.parametrize("role", [0, 1, 2])
def test_killed_at_every_file_call(
    fit_dist: Any, tmp_path: Path, traced: Traced, untraced: Callable[[], None], role: int
) -> None:
    """The old generation or the new one is whole at the root, and the next run goes on from either."""
    dist, state = fit_dist.path, tmp_path / "state"
    run_build(dist, state, json=True)
    _, expected = root_of(state)
    made = calls_made(dist, state, role, FILE_CALLS, traced, tmp_path / "trace")
    assert made["fsync"] >= 4 and made["renameat"] >= 1 and made["write"] >= 3
    for call, nth in [(name, nth) for name in FILE_CALLS for nth in range(1, made[name] + 1)]:
        before, _ = root_of(state)
        traced(role, killing(call, nth))
        outcome = run_build(dist, state, json=True)
        check_killed(outcome, role)
        after, found = root_of(state)
        assert after in (before, before + 1) and found == expected
        untraced()
        outcome = run_build(dist, state, json=True)
        assert outcome.ok, (call, nth, outcome.as_json())
        assert {owner.hash for owner in states(state)} == {expected}
        assert {owner.generation for owner in states(state)} == {after + 1}


@needs_strace
@pytest.mark.parametrize("role", [0, 1, 2, 3])
def test_killed_at_socket_calls(fit_dist: Any, tmp_path: Path, traced: Traced, role: int) -> None:
    """Some calls of each kind, with nothing published before: then nothing is, or all of it."""
    dist = fit_dist.path
    made = calls_made(dist, tmp_path / "count", role, SOCKET_CALLS, traced, tmp_path / "trace")
    for call, count in made.items():
        for nth in range(1, count + 1, max(1, count // 3)):
            state = tmp_path / f"{call}-{nth}"
            traced(role, killing(call, nth))
            outcome = run_build(dist, state, json=True)
            if outcome.ok:  # how often one polls is a matter of timing
                assert call in ("ppoll", "recvfrom", "sendto") and nth > 1
                continue
            check_killed(outcome, role)
            if (state / "role-0" / "published").exists():
                root_of(state)
            else:
                assert not list(state.glob("role-*/published"))


@pytest.mark.parametrize("role", [0, 1, 2, 3])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_killed_or_stopped_while_training(long_dist: Any, tmp_path: Path, role: int, number: int) -> None:
    """By the command line, as a user sees it, AArch64 roles under the emulator included."""
    with training(long_dist.path, tmp_path / "state") as launcher:
        (pid,) = [pid for pid in processes() if f"{long_dist.path}/fit.role-{role}." in command_line(pid)]
        os.kill(pid, number)
        begin = time.monotonic()
        _, err = launcher.communicate(timeout=60)
    last = err.splitlines()[-1]
    assert launcher.returncode == 1
    if number == signal.SIGKILL:
        assert f"first cause: role {role} was killed by SIGKILL" in last
        assert time.monotonic() - begin < 20
    else:
        assert f"first cause: role {role} said nothing and was stopped" in last
        assert time.monotonic() - begin < 40
    assert not [pid for pid in processes() if f"{long_dist.path}/fit.role-" in command_line(pid)]
    assert not list((tmp_path / "state").glob("role-*/published"))


def test_interrupted_while_training_and_started_again_twenty_times(long_dist: Any, tmp_path: Path) -> None:
    for _ in range(20):
        with training(long_dist.path, tmp_path / "state", rounds=3) as launcher:
            launcher.send_signal(signal.SIGINT)
            _, err = launcher.communicate(timeout=60)
        assert launcher.returncode == 130, err
        assert not [pid for pid in processes() if f"{long_dist.path}/fit.role-" in command_line(pid)]
    assert not list((tmp_path / "state").glob("role-*/published"))


@contextmanager
def training(dist: Path, state: Path, rounds: int = 5) -> Iterator[subprocess.Popen[str]]:
    """`alpha-build run` that has completed some rounds."""
    log = dist / "logs" / "rounds.jsonl"
    log.unlink(missing_ok=True)
    argv = [sys.executable, "-m", "alpha_build", "run", str(dist), "--state", str(state)]
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as launcher:
        try:
            deadline = time.monotonic() + 30
            while not (log.exists() and log.read_text().count("\n") >= rounds):
                assert time.monotonic() < deadline and launcher.poll() is None
                time.sleep(0.01)
            yield launcher
        finally:
            launcher.kill()


def processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""
