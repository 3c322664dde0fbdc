"""The gates of `alpha-build gate`, each as a test, and the command itself."""

from __future__ import annotations

import json
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
