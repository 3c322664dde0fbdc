"""bind: other addresses and ports in rows, notes and manifest, nothing else, and what it refuses."""

from __future__ import annotations

import hashlib
import json
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build.bind import bind
from alpha_build.build.build import build
from alpha_build.build.elf import read_artifact
from alpha_build.build.stamp import decode
from alpha_build.run import run_build
from alpha_build.system.errors import BuildFailure
from alpha_build.system.limits import RING_BYTES
from build.systems import write_pair

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bind")
    build(write_pair(folder), folder / "dist")
    return folder / "dist"


@pytest.fixture
def dist(built: Path, tmp_path: Path) -> Path:
    """A copy: a built run moves without its CMake trees."""
    return Path(shutil.copytree(built, tmp_path / "dist", ignore=shutil.ignore_patterns("build", "src")))


def _addresses(folder: Path, roles: Any) -> Path:
    path = folder / "addresses.json"
    path.write_text(json.dumps({"roles": roles}))
    return path


def _roles(dist: Path) -> list[dict[str, Any]]:
    return list(json.loads((dist / "manifest.json").read_text())["roles"])


def test_rows_note_and_manifest(dist: Path, tmp_path: Path) -> None:
    before = {role: read_artifact((dist / f"pair.role-{role}.x86_64").read_bytes()) for role in range(2)}
    ports = {"0": {"address": "10.0.0.1", "ports": {"1": 4000}}}
    relay = {"1": {"address": "10.0.0.2", "dial": {"0": {"address": "192.0.2.7", "port": 9000}}}}
    bind(dist, _addresses(tmp_path, ports | relay))
    for entry in json.loads((dist / "manifest.json").read_text())["roles"]:
        data = (dist / entry["file"]).read_bytes()
        artifact = read_artifact(data)
        (edge,) = decode(artifact.stamp).edges
        assert (edge.listen_address, edge.listen_port) == (0x0A000001, 4000)
        assert decode(before[entry["role"]].stamp).host_roles == 2  # a build's roles share this machine
        assert decode(artifact.stamp).host_roles == 1
        assert (edge.dial_address, edge.dial_port) == (0xC0000207, 9000)
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        note = json.loads(artifact.notes[0].data)
        assert note == {key: value for key, value in entry.items() if key not in ("file", "bytes", "sha256")}
        shown = ("10.0.0.1", 4000) if entry["role"] == 0 else ("192.0.2.7", 9000)
        assert (note["edges"][0]["address"], note["edges"][0]["port"]) == shown
        assert artifact.notes[1] == before[entry["role"]].notes[1]
        assert decode(artifact.stamp).budgets == decode(before[entry["role"]].stamp).budgets


def test_bound_run_completes(dist: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.3", 0)) as free:
        port = free.getsockname()[1]
    bind(dist, _addresses(tmp_path, {"0": {"address": "127.0.0.3", "ports": {"1": port}}}))
    outcome = run_build(dist)
    assert outcome.ok, outcome.as_json()


def test_back_again(dist: Path, tmp_path: Path) -> None:
    """Loopback and ports of the kernel's choice are an address like any other: the first bytes come back."""
    before = (dist / "pair.role-1.x86_64").read_bytes()
    bind(dist, _addresses(tmp_path, {"0": {"address": "10.0.0.1", "ports": {"1": 4000}}}))
    assert (dist / "pair.role-1.x86_64").read_bytes() != before
    bind(dist, _addresses(tmp_path, {"0": {"address": "127.0.0.1"}}))
    assert (dist / "pair.role-1.x86_64").read_bytes() == before


def test_shared_memory_within_an_address(dist: Path, tmp_path: Path) -> None:
    """Only where both ends and no relay are at one address, counted in memory, and undone by another bind."""
    before = (dist / "manifest.json").read_text()
    bind(dist, shared=True)
    for old, entry in zip(json.loads(before)["roles"], _roles(dist), strict=True):
        stamp = decode(read_artifact((dist / entry["file"]).read_bytes()).stamp)
        assert [edge.shared for edge in stamp.edges] == [edge["shared"] for edge in entry["edges"]] == [True]
        assert entry["memory_bytes"] == old["memory_bytes"] + 4096 + 2 * RING_BYTES
    assert run_build(dist).ok
    bind(dist, shared=True)
    assert (
        _roles(dist)[0]["memory_bytes"]
        == json.loads(before)["roles"][0]["memory_bytes"] + 4096 + 2 * RING_BYTES
    )
    relay = {"1": {"address": "10.0.0.1", "dial": {"0": {"address": "10.0.0.1", "port": 9000}}}}
    for roles, shared in (
        ({"0": {"address": "10.0.0.1"}, "1": {"address": "10.0.0.1"}}, True),
        ({"0": {"address": "10.0.0.1"}, "1": {"address": "10.0.0.2"}}, False),
        ({"0": {"address": "10.0.0.1"}}, False),
        ({"0": {"address": "10.0.0.1"}} | relay, False),
    ):
        bind(dist, _addresses(tmp_path, roles), shared=True)
        assert ["shared" in edge for entry in _roles(dist) for edge in entry["edges"]] == [shared] * 2, roles
    bind(dist, _addresses(tmp_path, {"0": {"address": "127.0.0.1"}}))
    assert (dist / "manifest.json").read_text() == before


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"2": {"address": "10.0.0.1"}}, "role 2 is not in this build"),
        ({"1": {"address": "10.0.0.1", "ports": {"0": 1}}}, "role 1 does not listen for role 0"),
        ({"0": {"address": "10.0.0.1", "dial": {"1": {"address": "10.0.0.1", "port": 1}}}}, "does not dial"),
        ({"0": {"address": "10.0.0.256"}}, "10.0.0.256"),
        ({"0": {"address": "node-1"}}, "'node-1' is not an IPv4 address; names are not looked up"),
        ({"0": {"address": "::1"}}, "'::1' is not an IPv4 address"),
        ({"0": {"address": "010.0.0.1"}}, "'010.0.0.1' is not an IPv4 address"),
        ({"0": {"address": 167772161}}, "167772161 is not an IPv4 address"),
        ({"0": {"address": "0.0.0.0"}}, "0.0.0.0 is not the address of one machine"),
        ({"0": {"address": "224.0.0.1"}}, "224.0.0.1 is not the address of one machine"),
        ({"1": {"address": "10.0.0.2"}}, "role 1 at 10.0.0.2 would look for role 0 on its own machine"),
        (
            {"0": {"address": "127.0.1.1"}, "1": {"address": "10.0.0.2"}},
            "would look for role 0 on its own machine, at 127.0.1.1",
        ),
        ({"0": {"address": "10.0.0.1", "ports": {"1": 65536}}}, "65536 is not a port"),
        ({"0": {"address": "10.0.0.1", "ports": {"1": True}}}, "True is not a port"),
        ({"0": {"address": "10.0.0.1", "ports": {"1": 7, "2": 7}}}, "port 7 is given to two edges"),
        ({"0": {"address": "10.0.0.1", "port": 1}}, "unknown key 'port'"),
        ({"0": {}}, "address"),
        ({"-1": {"address": "10.0.0.1"}}, "'-1' is not a role"),
        ([], "items"),
    ],
)
def test_refused(roles: Any, message: str, dist: Path, tmp_path: Path) -> None:
    before = (dist / "manifest.json").read_bytes()
    with pytest.raises(BuildFailure, match=message) as failure:
        bind(dist, _addresses(tmp_path, roles))
    assert failure.value.kind == "addresses"
    assert (dist / "manifest.json").read_bytes() == before


def test_the_command(dist: Path, tmp_path: Path) -> None:
    file = _addresses(tmp_path, {"0": {"address": "10.0.0.1", "ports": {"1": 4000}}})
    argv = [sys.executable, "-m", "alpha_build", "bind", str(dist), "--addresses", str(file)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "role 0 listens for role 1 at 10.0.0.1:4000",
        "role 1 dials role 0 at 10.0.0.1:4000",
    ]
    done = subprocess.run([*argv, "--json"], capture_output=True, text=True, timeout=60)
    assert json.loads(done.stdout) == json.loads((dist / "manifest.json").read_text())
    done = subprocess.run([*argv[:5], "--shared"], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[1] == "role 1 dials role 0 at 10.0.0.1:4000"
    file.write_text("{}")
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and str(file) in done.stderr and done.stderr.count("\n") == 1


def test_no_build(tmp_path: Path) -> None:
    with pytest.raises(BuildFailure, match="no build here"):
        bind(tmp_path, _addresses(tmp_path, {"0": {"address": "10.0.0.1"}}))
