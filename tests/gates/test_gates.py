"""The gates of `alpha-build gate`, each as a test, and the command itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from alpha_build.gates import GATES
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import LeftOut
from alpha_build.gates.processes import running
from gates.conftest import alpha_build

pytestmark = pytest.mark.gates
SLOW = {"refusals", "identity", "abort"}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in GATES]
)
def test_gate(session: Bench, name: str) -> None:
    try:
        GATES[name].run(session)
    except LeftOut as why:
        pytest.skip(str(why))
    finally:
        assert not running(session.folder)


def test_those_that_are_named_are_run_and_shown() -> None:
    done = alpha_build("gate", "pair", "absent-peer", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["ok"] and [gate["verdict"] for gate in result["gates"]] == ["passed", "passed"]
    assert "budget exhausted (accept): edge 1->0" in result["gates"][1]["seen"][0]


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "alpha_build", "gate", "abort"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment) as gate:
        deadline = time.monotonic() + 120
        while not (folders := [each for each in tmp_path.glob("alpha-build-gates-*") if running(each)]):
            assert gate.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        gate.send_signal(signal.SIGINT)
        assert gate.wait(20) == 130
    assert not running(folders[0]) and not list(tmp_path.iterdir())


def test_a_gate_that_there_is_not() -> None:
    done = alpha_build("gate", "pair", "peer")
    assert done.returncode == 1 and "no gate 'peer'" in done.stderr and "same-bits" in done.stderr


def test_a_build_of_one_s_own(fit_dist: Dist, tmp_path: Path) -> None:
    """All that apply pass and leave the folder as it was; an executable that was altered fails one."""
    before = sorted(path for path in fit_dist.path.rglob("*"))
    done = alpha_build("gate", "--dist", fit_dist.path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split(":")[0] for line in done.stdout.splitlines() if not line.startswith(" ")] == [
        "same-bits", "identity", "absent-peer", "abort",
    ]  # fmt: skip
    assert sorted(path for path in fit_dist.path.rglob("*")) == before
    spoiled = fit_dist.copy(tmp_path / "dist")
    with open(spoiled.artifact(2), "ab") as file:
        file.write(b"!")
    done = alpha_build("gate", "identity", "--dist", spoiled.path)
    assert done.returncode == 1 and "identity: failed" in done.stdout and "SHA-256" in done.stdout
