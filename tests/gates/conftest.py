"""Built runs that the gates share: each system is built once a session."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from alpha_build.build.toolchains import available
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.systems import fit
from alpha_build.run.artifacts import find_emulator

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def alpha_build(*arguments: object, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """The command line as a user runs it."""
    return subprocess.run(
        [sys.executable, "-m", "alpha_build", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )


def build(system: Path, out: Path) -> Dist:
    done = alpha_build("roles", system, "--out", out)
    assert done.returncode == 0, done.stderr
    return Dist.read(out)


@pytest.fixture(scope="session")
def session(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """What `alpha-build gate` stands on, once for all tests."""
    return Bench(tmp_path_factory.mktemp("gates"))


@pytest.fixture(scope="session")
def relay_dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    return build(EXAMPLES / "relay.py", tmp_path_factory.mktemp("relay") / "dist")


@pytest.fixture(scope="session")
def fit_dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    """Four members in a tree, three rounds of a small learner."""
    return _fit(tmp_path_factory.mktemp("fit"), fit())


@pytest.fixture(scope="session")
def long_dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    """The same learner, long enough to be disturbed, with an emulated role where that can be had."""
    emulated = find_emulator("aarch64") and available("aarch64")
    pairing = '{3: ab.Target("aarch64")}' if emulated else "{}"
    return _fit(tmp_path_factory.mktemp("long"), fit(rounds=1_000_000, pairing=pairing))


def _fit(folder: Path, text: str) -> Dist:
    (folder / "fit.py").write_text(text)
    return build(folder / "fit.py", folder / "dist")
