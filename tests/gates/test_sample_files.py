"""Samples beside the executables: the bits of embedded ones, and an admission refused for each fault."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from alpha_build.build.build import build
from alpha_build.build.toolchains import available
from alpha_build.gates.dist import Dist
from alpha_build.inspect import inspect, text
from alpha_build.run.artifacts import find_emulator
from alpha_build.system.errors import AlphaError
from alpha_build.verify import samples_differ

pytestmark = pytest.mark.gates

SYSTEM = """\
import jax.numpy as jnp, numpy as np, optax
import alpha_build as ab
rng = np.random.default_rng(0)
x, y = rng.normal(size=(21, 3)).astype(np.float32), np.arange(21, dtype=np.uint8)
def loss(params, y, x):
    return (x @ params["w"] - y.astype(jnp.float32) / 21) ** 2
def metric(params, x):
    return x @ params["w"]
system = ab.System(
    name="beside", members=3, topology=ab.Star(),
    learner=ab.Learner(loss, state={{"w": np.zeros(3, np.float32)}}, optimizer=optax.sgd(0.05),
        samples=ab.Samples({{"y": y, "x": x}}, embed={embed}),
        weights=1 + np.arange(21) % 3, batch=8, rounds=5,
        evaluation=ab.Evaluation(metric, samples=ab.Samples("test.npy", embed={embed_test}))),
    pairing={pairing}, budgets=ab.Budgets(connect=20, accept=20, wait=60, frame=20),
)
"""
EMULATED = find_emulator("aarch64") is not None and available("aarch64")
PAIRING = '{2: ab.Target("aarch64")}' if EMULATED else "{}"


def _build(folder: Path, embed: object, embed_test: object) -> Dist:
    folder.mkdir()
    np.save(folder / "test.npy", np.arange(12, dtype=np.float32).reshape(4, 3))
    (folder / "beside.py").write_text(SYSTEM.format(embed=embed, embed_test=embed_test, pairing=PAIRING))
    return _built(folder)


def _built(folder: Path) -> Dist:
    build(str(folder / "beside.py"), folder / "dist")
    return Dist.read(folder / "dist")


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    return _build(tmp_path_factory.mktemp("beside") / "one", False, True)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    """Only the evaluation's samples lie beside the executables."""
    return _build(tmp_path_factory.mktemp("embedded") / "one", None, False)


@pytest.fixture
def moved(beside: Dist, tmp_path: Path) -> Dist:
    """The build in another folder, whose name has a space."""
    return beside.copy(tmp_path / "an other")


def samples_of(dist: Dist, role: int) -> Path:
    return dist.path / str(dist.entry(role)["samples"]["file"])


def start(dist: Dist, role: int) -> subprocess.CompletedProcess[str]:
    """One role alone: samples are read before any edge is waited for."""
    return subprocess.run(
        [*dist.command(role), "--state", str(dist.path / "state")],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def test_the_bits_of_embedded_samples(beside: Dist, embedded: Dist, moved: Dist) -> None:
    """Both builds are one run: a role of each may take part in it."""
    first = embedded.run().as_json()
    assert first["ok"], first
    assert beside.manifest["run"] == embedded.manifest["run"]
    assert moved.run().as_json()["metrics"] == first["metrics"]
    shutil.copy(embedded.artifact(1), moved.artifact(1))
    shutil.copy(samples_of(embedded, 1), moved.path)
    moved.manifest["roles"][1] = embedded.entry(1)
    mixed = moved.written().run().as_json()
    assert {row["state"] for row in (*mixed["roles"], *first["roles"])} == {first["roles"][0]["state"]}


def test_files_hold_each_role_s_rows(beside: Dist, embedded: Dist) -> None:
    held = [load_file(samples_of(beside, role)) for role in range(3)]
    assert sorted(np.concatenate([each["samples/0"] for each in held])) == list(range(21))
    assert all(set(each) == {"samples/0", "samples/1", "samples/2"} for each in held)
    rows = [load_file(samples_of(embedded, role))["evaluation/0"] for role in range(3)]
    assert np.concatenate(rows).tolist() == np.arange(12).reshape(4, 3).tolist()


def test_what_lists_a_build_lists_them(beside: Dist, moved: Dist) -> None:
    files = {samples_of(beside, role).name for role in range(3)}
    bill = json.loads((beside.path / "beside.cdx.json").read_text())
    assert files <= {component["name"] for component in bill["components"]}
    facts = inspect(beside.artifact(1))
    assert facts["samples"] == beside.entry(1)["samples"]
    assert f"{samples_of(beside, 1).name} beside it" in text(facts)
    assert samples_of(beside, 2).name in text(inspect(beside.path))
    assert not any(samples_differ(beside.path, beside.manifest).values())
    samples_of(moved, 1).write_bytes(samples_of(moved, 0).read_bytes())
    told = samples_differ(moved.path, moved.manifest)
    assert told[samples_of(moved, 1).name] == "it is not the file that its executable was made with"
    assert sum(what is not None for what in told.values()) == 1


def test_building_again_without_them_takes_them_away(tmp_path: Path) -> None:
    dist = _build(tmp_path / "again", False, False)
    first = samples_of(dist, 0)
    assert first.exists()
    system = (tmp_path / "again" / "beside.py").read_text().replace("embed=False", "embed=True")
    (tmp_path / "again" / "beside.py").write_text(system)
    again = _built(tmp_path / "again")
    assert not first.exists()
    assert again.entry(0)["samples"] is None and again.manifest["run"] == dist.manifest["run"]


def truncate(path: Path, other: Path) -> str:
    path.write_bytes(path.read_bytes()[:-1])
    return f"has {path.stat().st_size} bytes, this role was made with {path.stat().st_size + 1}"


def lengthen(path: Path, other: Path) -> str:
    path.write_bytes(path.read_bytes() + b"\0")
    return "this role was made with"


def empty(path: Path, other: Path) -> str:
    path.write_bytes(b"")
    return "has 0 bytes"


def alter(path: Path, other: Path) -> str:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    return "SHA-256 is "


def swap(path: Path, other: Path) -> str:
    path.write_bytes(other.read_bytes())
    return "this role was made with"


def remove(path: Path, other: Path) -> str:
    path.unlink()
    return "cannot open: no such file"


def put_a_folder(path: Path, other: Path) -> str:
    path.unlink()
    path.mkdir()
    return "this role was made with"


def put_a_pipe(path: Path, other: Path) -> str:
    path.unlink()
    os.mkfifo(path)
    return "is no regular file"


def put_a_device(path: Path, other: Path) -> str:
    path.unlink()
    path.symlink_to("/dev/zero")
    return "has 0 bytes"


def dangle(path: Path, other: Path) -> str:
    path.unlink()
    path.symlink_to("nowhere")
    return "cannot open: no such file"


def forbid(path: Path, other: Path) -> str:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    path.chmod(0)
    return "cannot open: permission denied"


FAULTS = [
    truncate, lengthen, empty, alter, swap, remove, put_a_folder, put_a_pipe, put_a_device, dangle, forbid,
]  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("role", [0, 2])
def test_a_fault_refuses_admission(moved: Dist, role: int, fault: Callable[[Path, Path], str]) -> None:
    """Role 2 is the emulated one where there is an emulator."""
    path = samples_of(moved, role)
    said = fault(path, samples_of(moved, 1))
    done = start(moved, role)
    assert done.returncode == 78
    assert f"admission refused: samples {path.name}: " in done.stderr
    assert said in done.stderr
    if "SHA-256" in done.stderr:
        assert f"this role was made with {moved.entry(role)['samples']['sha256']}" in done.stderr
    assert not list(moved.path.glob("state/role-*/published"))
    if role == 0:  # the launcher sees it before it starts anybody
        with pytest.raises(AlphaError, match=re.escape(path.name)) as caught:
            moved.run()
        assert "role 0's samples" in caught.value.message


def test_a_link_to_the_file_is_the_file(moved: Dist, tmp_path: Path) -> None:
    for role in range(3):
        path = samples_of(moved, role)
        shutil.move(path, tmp_path / path.name)
        path.symlink_to(tmp_path / path.name)
    assert moved.run().ok


def test_the_file_lies_beside_the_executable_whatever_the_current_folder(moved: Dist) -> None:
    """As a bare name, from its own folder, and by a path from another one."""
    samples_of(moved, 0).write_bytes(b"")
    *emulator, _ = moved.command(0)
    for folder, name in ((moved.path, f"./{moved.artifact(0).name}"), (moved.path.parent, "an other/")):
        path = name if name.startswith("./") else name + moved.artifact(0).name
        done = subprocess.run(
            [*emulator, path], cwd=folder, capture_output=True, text=True, timeout=60, check=False
        )
        assert done.returncode == 78 and "has 0 bytes" in done.stderr
