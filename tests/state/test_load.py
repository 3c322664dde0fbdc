"""States on disk, laid out here by hand with the safetensors package, read back and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import cbor2
import numpy as np
import pytest
from safetensors.numpy import save

import alpha_build as ab
from alpha_build.state.load import states

W = np.arange(6, dtype=np.float32).reshape(2, 3)
B = np.array([-0.0, np.inf], np.float32)
TREE = {"params/b": B, "params/w": W, "optimizer/0/count": np.array(7, np.int32)}


def leaves_digest(data: bytes) -> bytes:
    leaves = [hashlib.sha256(data[at : at + 4096]).digest() for at in range(0, len(data), 4096)]
    return hashlib.sha256(b"".join(leaves)).digest()


def write(folder: Path, tensors: dict[str, np.ndarray], generation: int = 1) -> Path:
    """One owner's folder as an executable leaves it; `folder` is named role-R."""
    where = folder / f"generation-{generation}"
    where.mkdir(parents=True)
    names = sorted(tensors)
    shard = save({name: tensors[name] for name in names})
    (where / "state.safetensors").write_bytes(shard)
    spelled = {"float32": "F32", "int32": "I32", "float64": "F64"}
    rows = [
        [n, spelled[tensors[n].dtype.name], list(tensors[n].shape), leaves_digest(tensors[n].tobytes())]
        for n in names
    ]
    manifest = {
        "format": 1,
        "role": int(folder.name.removeprefix("role-")),
        "generation": generation,
        "round": 200,
        "run": "00" * 32,
        "state_identity": "11" * 32,
        "state": hashlib.sha256(cbor2.dumps(rows, canonical=True)).hexdigest(),
        "shard": {
            "file": "state.safetensors",
            "bytes": len(shard),
            "sha256": hashlib.sha256(shard).hexdigest(),
        },
        "tensors": [{"name": n, "dtype": d, "shape": s, "digest": g.hex()} for n, d, s, g in rows],
        "children": [],
    }
    publish(folder, manifest)
    return folder


def publish(folder: Path, manifest: dict[str, Any]) -> None:
    raw = json.dumps(manifest).encode()
    (folder / f"generation-{manifest['generation']}" / "manifest.json").write_bytes(raw)
    (folder / "published").write_text(f"{manifest['generation']} {hashlib.sha256(raw).hexdigest()}\n")


def manifest_of(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((folder / "generation-1/manifest.json").read_text())
    return loaded


def test_a_state_folder_and_an_owners_folder(tmp_path: Path) -> None:
    for role in (2, 0, 1):
        write(tmp_path / f"role-{role}", TREE)
    for path in (tmp_path, str(tmp_path / "role-2")):
        loaded = ab.load_state(path)
        assert list(loaded) == ["b", "w"]
        assert loaded["w"].tobytes() == W.tobytes() and loaded["b"].tobytes() == B.tobytes()
    assert loaded["w"].flags.writeable


def test_the_root_is_the_lowest_role_by_number(tmp_path: Path) -> None:
    write(tmp_path / "role-10", {"params/w": W + 1})
    write(tmp_path / "role-9", {"params/w": W})
    assert ab.load_state(tmp_path)["w"][0, 0] == 0


def test_the_optimiser_on_request(tmp_path: Path) -> None:
    params, optimizer = ab.load_state(write(tmp_path / "role-0", TREE), optimizer=True)
    assert set(params) == {"b", "w"} and optimizer[0]["count"] == 7


def test_nesting_from_names(tmp_path: Path) -> None:
    tree = {"params/layers/0/w": W, "params/layers/1/w": W + 1, "params/scale": np.array(2, np.float32)}
    loaded = ab.load_state(write(tmp_path / "role-0", tree))
    assert isinstance(loaded["layers"], list) and loaded["layers"][1]["w"][0, 0] == 1 and loaded["scale"] == 2


def test_a_bare_array(tmp_path: Path) -> None:
    loaded = ab.load_state(write(tmp_path / "role-0", {"params": W}))
    assert loaded.tobytes() == W.tobytes()


class Pair(NamedTuple):
    w: Any
    b: Any


def test_like_gives_its_own_types(tmp_path: Path) -> None:
    folder = write(tmp_path / "role-0", TREE)
    loaded = ab.load_state(folder, like=Pair(w=0, b=0))
    assert (
        isinstance(loaded, Pair) and loaded.w.tobytes() == W.tobytes() and loaded.b.tobytes() == B.tobytes()
    )
    with pytest.raises(ab.AlphaError, match="params/b only in the state"):
        ab.load_state(folder, like={"w": 0})


def test_states_hashes_the_shards_bytes(tmp_path: Path) -> None:
    for role in (0, 1):
        write(tmp_path / f"role-{role}", {**TREE, "params/big": np.ones(5000, np.float32)})
    found = states(tmp_path)
    assert [(owner.role, owner.generation, owner.round) for owner in found] == [(0, 1, 200), (1, 1, 200)]
    assert found[0].hash == found[1].hash == manifest_of(tmp_path / "role-0")["state"]


def test_the_hash_is_over_names_types_shapes_and_bytes(tmp_path: Path) -> None:
    changed = [
        {"params/w": W},
        {"params/v": W},
        {"params/w": W.reshape(3, 2)},
        {"params/w": W.view(np.int32)},
        {"params/w": W + 1},
    ]
    hashes = {
        states(write(tmp_path / str(i) / "role-0", each).parent)[0].hash for i, each in enumerate(changed)
    }
    assert len(hashes) == len(changed)


def flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def drop_tensor(folder: Path) -> None:
    manifest = manifest_of(folder)
    publish(folder, {**manifest, "tensors": manifest["tensors"][1:]})


def other_round(folder: Path) -> None:
    """A manifest that is well-formed, and not the one that was published."""
    path = folder / "generation-1/manifest.json"
    path.write_text(path.read_text().replace('"round": 200', '"round": 100'))


def other_shape(folder: Path) -> None:
    manifest = manifest_of(folder)
    manifest["tensors"][-1]["shape"] = [3, 2]
    publish(folder, manifest)


ALTERED: dict[str, tuple[Callable[[Path], object], str]] = {
    "shard": (lambda folder: flip(folder / "generation-1/state.safetensors", -1), "state-digest"),
    "manifest": (lambda folder: flip(folder / "generation-1/manifest.json", 20), "state-digest"),
    "manifest's round": (other_round, "state-digest"),
    "pointer": (lambda folder: flip(folder / "published", 5), "state-digest"),
    "pointer's text": (lambda folder: (folder / "published").write_text("1\n"), "state-digest"),
    "no shard": (lambda folder: (folder / "generation-1/state.safetensors").unlink(), "state-file"),
    "no manifest": (lambda folder: (folder / "generation-1/manifest.json").unlink(), "state-file"),
    "a tensor less": (drop_tensor, "state-digest"),
    "another shape": (other_shape, "state-digest"),
    "another format": (lambda folder: publish(folder, {**manifest_of(folder), "format": 2}), "state-format"),
    "no keys": (lambda folder: publish(folder, {"format": 1, "generation": 1}), "state-digest"),
    "a shard elsewhere": (
        lambda folder: publish(folder, {**manifest_of(folder), "shard": {"file": "../x", "sha256": ""}}),
        "state-digest",
    ),
}


@pytest.mark.parametrize("name", ALTERED)
def test_whatever_was_altered_is_named(tmp_path: Path, name: str) -> None:
    alter, kind = ALTERED[name]
    folder = write(tmp_path / "role-0", TREE)
    alter(folder)
    with pytest.raises(ab.AlphaError) as caught:
        ab.load_state(tmp_path)
    assert caught.value.kind == kind and str(folder) in str(caught.value) and caught.value.hint


@pytest.mark.parametrize("row", ["state", "digest"])
def test_states_does_not_believe_the_manifest(tmp_path: Path, row: str) -> None:
    folder = write(tmp_path / "role-0", TREE)
    manifest = manifest_of(folder)
    if row == "state":
        manifest["state"] = "00" * 32
    else:
        manifest["tensors"][0]["digest"] = "00" * 32
    publish(folder, manifest)
    with pytest.raises(ab.AlphaError, match="state is not as it was published"):
        states(tmp_path)


def test_nothing_published(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing"):
        with pytest.raises(ab.AlphaError, match="dist/state") as caught:
            ab.load_state(path)
        assert caught.value.kind == "no-state"
    (tmp_path / "role-0").mkdir()
    with pytest.raises(ab.AlphaError, match="no state was published"):
        ab.load_state(tmp_path)


def test_the_folder_above_is_pointed_out(tmp_path: Path) -> None:
    write(tmp_path / "state/role-0", TREE)
    with pytest.raises(ab.AlphaError) as caught:
        ab.load_state(tmp_path)
    assert str(tmp_path / "state") in str(caught.value)
