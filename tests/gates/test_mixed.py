"""Executables of two builds, and peers that are not there: refused by name in time, nothing written."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from gates.conftest import Dist, alpha_build, build
from gates.systems import IMPATIENT, OTHERS

pytestmark = pytest.mark.gates


def mix(one: Dist, other: Dist, role: int, folder: Path) -> Path:
    """The first build with one role's executable of the second, and a manifest that believes it."""
    shutil.copytree(one.path, folder, ignore=shutil.ignore_patterns("build", "src", "state", "logs"))
    manifest = json.loads((folder / "manifest.json").read_text())
    row = manifest["roles"][role]
    shutil.copy(other.artifact(role), folder / row["file"])
    row["sha256"] = hashlib.sha256((folder / row["file"]).read_bytes()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


@pytest.fixture(scope="module")
def other_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all the others, so that what they share is compiled once."""
    return tmp_path_factory.mktemp("other")


@pytest.mark.slow
@pytest.mark.parametrize("what", OTHERS)
def test_executables_of_two_builds_refuse_each_other(
    fit_dist: Dist, other_out: Path, tmp_path: Path, what: str
) -> None:
    (tmp_path / "other.py").write_text(OTHERS[what])
    other = build(tmp_path / "other.py", other_out)
    assert other.manifest["run"] != fit_dist.manifest["run"]
    folder = mix(fit_dist, other, 1, tmp_path / "mixed")
    done = alpha_build("run", folder, "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert [row["exit"] for row in result["roles"][:2]] == [70, 70], result
    for row, peer in zip(result["roles"][:2], (other, fit_dist), strict=True):
        assert row["said"].startswith("refused (frame): edge ") and row["said"].endswith(
            f"got {peer.manifest['run']}"
        )
    assert result["cause"]["kind"] == "frame" and {result["cause"]["role"], result["cause"]["peer"]} == {0, 1}
    assert not [path for path in (folder / "state").rglob("*") if path.is_file()]


@pytest.fixture(scope="module")
def pair_dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    folder = tmp_path_factory.mktemp("pair")
    (folder / "pair.py").write_text(IMPATIENT)
    return build(folder / "pair.py", folder / "dist")


def end(dist: Dist, role: int, ports: bytes, cwd: Path) -> tuple[int, str, float]:
    begin = time.monotonic()
    done = subprocess.run([dist.artifact(role)], input=ports, capture_output=True, cwd=cwd, timeout=20)
    return done.returncode, done.stderr.decode(), time.monotonic() - begin


def test_a_higher_peer_that_never_starts(pair_dist: Dist, tmp_path: Path) -> None:
    status, said, seconds = end(pair_dist, 0, b"", tmp_path)
    assert status == 76 and said.startswith("alpha-build: role 0: budget exhausted (accept): edge 1->0")
    assert 0.9 < seconds < 2


def test_a_lower_peer_that_never_starts(pair_dist: Dist, tmp_path: Path) -> None:
    with socket.socket() as held:  # bound, so that nobody else gets the port, and not listening
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        status, said, seconds = end(pair_dist, 1, port.to_bytes(2, "big"), tmp_path)
    assert status == 75 and said.startswith("alpha-build: role 1: budget exhausted (connect): edge 0->1")
    assert f"127.0.0.1:{port}" in said
    assert 0.9 < seconds < 2


def test_no_port_is_given(pair_dist: Dist, tmp_path: Path) -> None:
    status, said, _ = end(pair_dist, 1, b"\x01", tmp_path)
    assert status == 75 and "role 1" in said


def test_a_state_folder_that_cannot_be_written(fit_dist: Any, tmp_path: Path) -> None:
    (tmp_path / "state" / "role-1").mkdir(parents=True)
    (tmp_path / "state" / "role-1" / "generation-1").write_text("in the way")
    done = alpha_build("run", fit_dist.path, "--state", tmp_path / "state", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["cause"]["role"] == 1 and result["roles"][1]["exit"] in (78, 80)
    assert not list((tmp_path / "state").glob("role-*/published"))
