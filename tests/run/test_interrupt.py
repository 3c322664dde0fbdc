"""However a run is interrupted, by Ctrl-C or by the death of the launcher, none of its processes is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from run.fake import is_gone, make_build, pids

DEAF = "signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
WAIT = DEAF + "while True: time.sleep(60)"

# When the interruption comes: before everyone has announced, while roles compute, while one is stopped.
MOMENTS = {
    "connect": (["announce(1); " + WAIT, "hear(1)\n" + WAIT, "pass"], 2),
    "step": (["announce(1)\n" + WAIT, "hear(1); announce(1)\n" + WAIT, "hear(1)\n" + WAIT], 3),
    "stopped": (["announce(1)\n" + WAIT, "hear(1); announce(1); die(signal.SIGSTOP)", "hear(1)\n" + WAIT], 3),
}
EDGES = [(0, 1), (1, 2)]
Launch = Callable[[Path], "subprocess.Popen[str]"]


@pytest.fixture
def launch() -> Iterator[Launch]:
    """Starts `alpha-build run` as the leader of a process group, as a shell does."""
    started: list[subprocess.Popen[str]] = []

    def start(build: Path) -> subprocess.Popen[str]:
        argv = [sys.executable, "-m", "alpha_build", "run", str(build)]
        process = subprocess.Popen(
            argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, process_group=0
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_for(condition: Callable[[], bool], seconds: float = 100) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def children(pid: int) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            stat = path.read_text()
        except OSError:
            continue
        if int(stat[stat.rindex(")") + 2 :].split()[1]) == pid:
            found.append(int(path.parent.name))
    return found


def running(build: Path, launcher: subprocess.Popen[str], roles: int) -> list[int]:
    """Waits until that many roles run; every process of the run, the guard included."""
    assert wait_for(lambda: len(pids(build)) == roles), pids(build)
    time.sleep(0.1)
    found = children(launcher.pid)
    assert set(pids(build).values()) < set(found) and len(found) == roles + 1
    return found


def to_group(launcher: subprocess.Popen[str]) -> None:
    os.killpg(launcher.pid, signal.SIGINT)


def to_launcher(launcher: subprocess.Popen[str]) -> None:
    os.kill(launcher.pid, signal.SIGINT)


def twice(launcher: subprocess.Popen[str]) -> None:
    to_group(launcher)
    time.sleep(0.1)
    if launcher.poll() is None:
        to_group(launcher)


def often(launcher: subprocess.Popen[str]) -> None:
    for _ in range(200):
        if launcher.poll() is None:
            to_launcher(launcher)
        time.sleep(0.001)


def terminate(launcher: subprocess.Popen[str]) -> None:
    launcher.terminate()


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("interrupt", [to_group, to_launcher, twice, often, terminate])
def test_an_interruption_ends_every_role(
    tmp_path: Path, launch: Launch, interrupt: Callable[[subprocess.Popen[str]], None], moment: str
) -> None:
    bodies, roles = MOMENTS[moment]
    build = make_build(tmp_path, bodies, EDGES, {"connect": 60})
    launcher = launch(build)
    processes = running(build, launcher, roles)
    begin = time.monotonic()
    interrupt(launcher)
    out, err = launcher.communicate(timeout=60)
    assert time.monotonic() - begin < 20  # long before any budget; a second where nothing else runs
    assert launcher.returncode == 130, err
    assert "Traceback" not in err and "interrupted" in err.splitlines()[-1]
    assert out == ""
    assert all(is_gone(pid) for pid in processes)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_launcher_takes_every_role_along(tmp_path: Path, launch: Launch, moment: str) -> None:
    bodies, roles = MOMENTS[moment]
    build = make_build(tmp_path, bodies, EDGES, {"connect": 60})
    launcher = launch(build)
    processes = running(build, launcher, roles)
    launcher.kill()
    assert wait_for(lambda: all(is_gone(pid) for pid in processes), 5)


def test_a_failure_leaves_no_process(tmp_path: Path, launch: Launch) -> None:
    """A role that does not notice is ended too, and the command's status is 1 with the cause last."""
    bodies = ["announce(1, 2)\n" + WAIT, "hear(1)\n" + WAIT, "hear(1); time.sleep(0.3); die(signal.SIGKILL)"]
    build = make_build(tmp_path, bodies, [(0, 1), (0, 2)], {"wait": 1, "frame": 0.5})
    launcher = launch(build)
    processes = running(build, launcher, 3)
    _, err = launcher.communicate(timeout=60)
    assert launcher.returncode == 1
    assert err.splitlines()[-1] == "alpha-build: first cause: role 2 was killed by SIGKILL"
    assert "follow-on: role 0" in err
    assert all(is_gone(pid) for pid in processes)


def test_start_interrupt_and_restart_at_once_twenty_times(tmp_path: Path, launch: Launch) -> None:
    for i in range(20):
        build = make_build(tmp_path / str(i % 2), [WAIT] * 2)
        (build / "pids").unlink(missing_ok=True)
        launcher = launch(build)
        processes = running(build, launcher, 2)
        to_launcher(launcher)
        launcher.communicate(timeout=60)
        assert launcher.returncode == 130
        assert all(is_gone(pid) for pid in processes)
