"""Spoiled files of every kind that is read: an AlphaError says so, and nothing else ever comes out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cbor2
import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import alpha_build as ab
from alpha_build.inspect import inspect, text
from alpha_build.learner import saved
from alpha_build.learner.digest import learner_digest
from alpha_build.projector.check import check
from alpha_build.run.artifacts import read_build
from alpha_build.state.load import states
from alpha_build.system.load import load_system
from build.stamps import STAMP
from learner.learners import LEARNERS
from malformed.mutate import spoiled_bytes, spoiled_json
from native import OWN_TARGETS, compile_executable
from state.test_load import TREE, manifest_of, publish, write

often = settings(
    max_examples=200,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def only_named(read: Callable[[], object]) -> bool:
    """Whether it could be read; anything but an AlphaError that names what and where fails the test."""
    try:
        read()
    except ab.AlphaError as error:
        failure = error
    else:
        return True
    assert failure.kind and str(failure).strip()
    return False


@dataclass(frozen=True, repr=False)
class Whole:
    """A right file, too long to be shown when a test fails."""

    data: bytes


SYSTEM = b"""\
import alpha_build as ab
system = ab.System(
    name="own", members=3, topology=ab.Star(),
    regions={"g": ab.Region("f32", (6,), initial=1.5), "go": ab.Region("word", (1,))},
    protocol=ab.Repeat(4, ab.Sequence(
        ab.Choice(0, "go", ab.Transfer(1, 0, "g"), ab.Transfer(0, 2, "g")),
        ab.Combine("g"), ab.Deliver("g"))),
    contract=ab.Contract(order="tree", rounding="separate"),
    budgets=ab.Budgets(connect=3, accept=3, wait=9, frame=3),
)
"""


@often
@given(source=spoiled_bytes(SYSTEM))
@example(source=SYSTEM)
def test_system_files(source: bytes, tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    path.write_bytes(source)
    only_named(lambda: check(load_system(str(path))))


BUILD = {
    "format": 1,
    "name": "own",
    "run": "00" * 32,
    "learner": None,
    "frame_bytes": 1 << 20,
    "budgets": {"connect": 30, "accept": 30, "wait": 300, "frame": 30, "session": None},
    "roles": [
        {"role": role, "target": "x86_64", "file": f"own.role-{role}.x86_64", "sha256": "11" * 32, "bytes": 9,
         "edges": [{"peer": 1 - role, "address": "127.0.0.1", "port": 0, "side": ("lower", "higher")[role]}]}
        for role in (0, 1)
    ],
}  # fmt: skip


@often
@given(manifest=spoiled_json(BUILD))
@example(manifest=BUILD)
def test_manifests_of_a_build(manifest: Any, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    only_named(lambda: read_build(tmp_path))
    only_named(lambda: text(inspect(tmp_path)))


@often
@given(raw=spoiled_bytes(json.dumps(BUILD).encode()))
@example(raw=b"[" * 100_000)
@example(raw=json.dumps(BUILD).replace('"role": 0', '"role": 1e999').encode())
@example(raw=b"\xff\xfe")
def test_bytes_of_a_build_s_manifest(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_bytes(raw)
    only_named(lambda: read_build(tmp_path))


@pytest.fixture(scope="module")
def owner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("state") / "role-0", TREE)


def read_state(owner: Path) -> bool:
    loaded = only_named(lambda: ab.load_state(owner))
    assert only_named(lambda: states(owner.parent)) <= loaded or not loaded
    return loaded


@often
@given(data=st.data())
def test_manifests_of_a_state(data: st.DataObject, tmp_path: Path) -> None:
    """The pointer names the spoiled manifest, so that it is looked at."""
    owner = tmp_path / "role-0"
    if not owner.exists():
        write(owner, TREE)
        (tmp_path / "right.json").write_text(json.dumps(manifest_of(owner)))
    right = json.loads((tmp_path / "right.json").read_text())
    spoiled = data.draw(spoiled_json(right))
    raw = json.dumps(spoiled).encode()
    (owner / "generation-1" / "manifest.json").write_bytes(raw)
    (owner / "published").write_text(f"1 {hashlib.sha256(raw).hexdigest()}\n")
    read_state(owner)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"format": 1, "tensors": [{"shape": [1e999]}]}', b"\xff"])
def test_manifests_that_no_writer_makes(raw: bytes, tmp_path: Path) -> None:
    owner = write(tmp_path / "role-0", TREE)
    (owner / "generation-1" / "manifest.json").write_bytes(raw)
    (owner / "published").write_text(f"1 {hashlib.sha256(raw).hexdigest()}\n")
    assert not read_state(owner)


@pytest.mark.parametrize("raw", [b"", b"\x81" * 100_000, b"\xa1\x66format\xf9\x7c\x00", b"\x9f" * 2000])
def test_learners_that_no_writer_makes(raw: bytes, tmp_path: Path) -> None:
    (tmp_path / "learner.cbor").write_bytes(raw)
    assert not only_named(lambda: saved.load(tmp_path / "learner.cbor"))
    assert not only_named(lambda: saved.load_system(tmp_path / "learner.cbor"))


@often
@given(pointer=spoiled_bytes(b"1 " + b"0" * 64 + b"\n"))
def test_pointers(pointer: bytes, owner: Path) -> None:
    kept = (owner / "published").read_bytes()
    (owner / "published").write_bytes(pointer)
    try:
        assert not read_state(owner)
    finally:
        (owner / "published").write_bytes(kept)


@often
@given(data=st.data())
def test_shards(data: st.DataObject, tmp_path: Path) -> None:
    """Pointer and manifest name the spoiled shard, so that safetensors reads it."""
    owner = tmp_path / "role-0"
    if not owner.exists():
        write(owner, TREE)
        (tmp_path / "right").write_bytes((owner / "generation-1" / "state.safetensors").read_bytes())
    shard = data.draw(spoiled_bytes((tmp_path / "right").read_bytes()))
    (owner / "generation-1" / "state.safetensors").write_bytes(shard)
    manifest = manifest_of(owner)
    manifest["shard"] |= {"bytes": len(shard), "sha256": hashlib.sha256(shard).hexdigest()}
    publish(owner, manifest)
    read_state(owner)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    from alpha_build.learner.trace import trace_learner

    given = LEARNERS["linear_sgd"]
    return Whole(saved.to_bytes(trace_learner(given), ab.System(name="saved", members=2, learner=given)))


@often
@given(data=st.data())
def test_bytes_of_a_saved_learner(data: st.DataObject, program: Whole, tmp_path: Path) -> None:
    path = tmp_path / "learner.cbor"
    path.write_bytes(data.draw(spoiled_bytes(program.data)))
    only_named(lambda: saved.load(path))
    only_named(lambda: saved.load_system(path))


@often
@given(data=st.data())
def test_trees_of_a_saved_learner(data: st.DataObject, program: Whole, tmp_path: Path) -> None:
    path = tmp_path / "learner.cbor"
    path.write_bytes(cbor2.dumps(data.draw(spoiled_json(cbor2.loads(program.data)))))
    only_named(lambda: saved.load(path))
    only_named(lambda: saved.load_system(path))


@pytest.fixture(scope="module", params=OWN_TARGETS)
def artifact(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    from alpha_build.build.elf import Image, Note
    from alpha_build.build.stamp import encode

    out = tmp_path_factory.mktemp("stub") / "stub"
    stub = Path(__file__).parents[1] / "build" / "stub.cpp"
    compile_executable(request.param, stub, out, "base", "socket", "frame")
    notes = [Note(1, b'{"role":7,"edges":[]}'), Note(2, b'{"name":"x"}')]
    return Whole(b"".join(Image(out.read_bytes()).finish(encode(STAMP), notes)[0]))


@often
@given(data=st.data())
def test_executables(data: st.DataObject, artifact: Whole, tmp_path: Path) -> None:
    path = tmp_path / "role"
    right = artifact.data
    at = len(right) - 4096 if data.draw(st.booleans()) else 0  # headers lie first, stamp and notes last
    path.write_bytes(right[:at] + data.draw(spoiled_bytes(right[at : at + 4096])) + right[at + 4096 :])
    only_named(lambda: text(inspect(path)))


def test_what_is_right_is_read(owner: Path, program: Whole, artifact: Whole, tmp_path: Path) -> None:
    """So that the others do not refuse everything."""
    (tmp_path / "role").write_bytes(artifact.data)
    (tmp_path / "learner.cbor").write_bytes(program.data)
    assert read_state(owner)
    assert only_named(lambda: inspect(tmp_path / "role"))
    learner = saved.load(tmp_path / "learner.cbor")
    assert learner.digest == learner_digest(learner)
    assert np.array_equal(ab.load_state(owner)["w"], TREE["params/w"])
