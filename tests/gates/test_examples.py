"""The examples as they stand: built, run, and their results known beforehand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import alpha_build as ab
from alpha_build.build.build import build as make
from alpha_build.run import run_build
from alpha_build.run.reference import run_reference
from alpha_build.state.load import states
from alpha_build.system.load import load_system
from gates.conftest import EXAMPLES, alpha_build, build

pytestmark = pytest.mark.gates


def test_relay_runs(relay_dist: Any) -> None:
    done = alpha_build("run", relay_dist.path, "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 0 and result["ok"] and [row["exit"] for row in result["roles"]] == [0, 0, 0]
    assert not (relay_dist.path / "state").exists()


def test_star_runs_and_is_inspected_from_the_file_alone(tmp_path: Path) -> None:
    dist = build(EXAMPLES / "star.py", tmp_path / "dist")
    assert alpha_build("run", dist.path).returncode == 0
    (tmp_path / "moved").write_bytes(dist.artifact(1).read_bytes())
    facts = json.loads(alpha_build("inspect", tmp_path / "moved", "--json").stdout)
    assert (facts["name"], facts["role"], facts["run"]) == ("star", 1, dist.manifest["run"])
    assert facts["edges"] == dist.manifest["roles"][1]["edges"]
    assert not facts["interpreter"] and not facts["dynamic"]
    assert "dials role 0" in alpha_build("inspect", tmp_path / "moved").stdout


@pytest.mark.slow
def test_diabetes_is_least_squares(tmp_path: Path) -> None:
    """300 rounds of gradient descent against NumPy's least squares; a metric's name may hold a space."""
    import numpy as np
    from sklearn.datasets import load_diabetes

    dist = build(EXAMPLES / "diabetes.py", tmp_path / "dist")
    result = json.loads(alpha_build("run", dist.path, "--json").stdout)
    assert result["ok"] and result["rounds"] == 300
    assert len({owner.hash for owner in states(dist.path / "state")}) == 1
    trained = ab.load_state(dist.path / "state")
    data = load_diabetes()
    x = np.c_[data.data / data.data.std(axis=0), np.ones(len(data.data))]
    y = (data.target - data.target.mean()) / data.target.std()
    test = np.arange(len(y)) % 5 == 4
    best = np.linalg.lstsq(x[~test], y[~test], rcond=None)[0]
    error = np.mean((x[test] @ best - y[test]) ** 2)
    assert result["metrics"]["squared error"] == pytest.approx(error, abs=0.02)
    assert np.abs(x[test] @ np.r_[trained["w"], trained["b"]] - x[test] @ best).max() < 0.3


def test_iris_reads_a_file_and_stops_by_itself(tmp_path: Path) -> None:
    """Batches of 60, 60 and 30 samples on three members: the bits of the reference."""
    system = str(EXAMPLES / "iris.py")
    make(system, tmp_path / "dist")
    outcome = run_build(tmp_path / "dist", json=True)
    assert outcome.ok and outcome.rounds < 2000 and outcome.metrics["accuracy"] > 0.95
    assert len(list((tmp_path / "dist").glob("*.samples.safetensors"))) == 3
    reference = run_reference(load_system(system), tmp_path / "dist")
    assert {end.state for end in outcome.ends} == {reference}


@pytest.mark.slow
def test_the_cnn_learns_and_equals_its_reference(tmp_path: Path) -> None:
    """Convolutions, pooling and keys in executables of two members: the bits of one process."""
    dist = build(EXAMPLES / "cnn.py", tmp_path / "dist")
    result = json.loads(alpha_build("run", dist.path, "--json").stdout)
    assert result["ok"] and result["metrics"]["accuracy"] > 0.9
    reference = run_reference(load_system(str(EXAMPLES / "cnn.py")), dist.path)
    assert {row["state"] for row in result["roles"]} == {reference}


@pytest.fixture(scope="module")
def demo_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all demos, so that what they share is compiled once."""
    return tmp_path_factory.mktemp("demo")


@pytest.mark.slow
@pytest.mark.parametrize("rounding", ["fused", "separate"])
def test_the_demo_is_identical_and_accurate(demo_out: Path, rounding: str) -> None:
    done = alpha_build("demo", "--rounding", rounding, "--out", demo_out, "--json", timeout_s=300)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["identical"] and set(result["owners"].values()) == {result["reference"]}
    assert len(result["owners"]) == 4 and result["run"]["metrics"]["accuracy"] > 0.93
    again = json.loads(alpha_build("run", demo_out, "--json").stdout)
    assert {row["state"] for row in again["roles"]} == {result["reference"]}


@pytest.mark.slow
def test_canonical_order_does_not_know_how_many_take_part(demo_out: Path) -> None:
    hashes = set()
    for members in (1, 2, 3, 4):
        arguments = ("--order", "canonical", "--members", members, "--out", demo_out, "--json")
        done = alpha_build("demo", *arguments, timeout_s=300)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["identical"] and len(result["owners"]) == members
        hashes.add(result["reference"])
    assert len(hashes) == 1
