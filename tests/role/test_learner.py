"""Whole systems of hand-written learner roles over TCP, against the model in toy.py, bit for bit."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from role import toy
from role.launch import Ended, Member, Toolchain, run
from role.toy import Shape

pytestmark = pytest.mark.gates

SHAPES = [
    Shape(1, 1),
    Shape(1, 1, "canonical"),
    Shape(2, 1),
    Shape(2, 0),
    Shape(2, 0, "canonical"),
    Shape(3, 2),
    Shape(3, 1, "canonical"),
    Shape(4, 2),
    Shape(4, 2, "canonical"),
    Shape(5, 4),
    Shape(5, 1),
    Shape(5, 4, "canonical"),
    Shape(2, 0, larger_last=True),
    Shape(4, 2, larger_last=True),
    Shape(5, 1, larger_last=True),
    Shape(8, 3, "canonical"),
    Shape(10, 9, "canonical"),
    Shape(3, 8, "canonical", mesh=True),
    Shape(4, 8, "canonical", mesh=True),  # six blocks: the second member holds two nodes
    Shape(10, 8, "canonical", mesh=True),
    Shape(5, 8, mesh=True),
    Shape(10, 8, mesh=True),
    Shape(4, 1, "sequence"),
    Shape(7, 2, "sequence"),
    Shape(10, 2, "sequence"),
    Shape(10, 2, "sequence", larger_last=True),
]


def members(toolchain: Toolchain, shape: Shape) -> list[Member]:
    return [toy.member(shape, role, toy.linked(toolchain)) for role in range(shape.members)]


def check(shape: Shape, folder: Path, state: str = "state", generation: int = 1) -> None:
    """Every owner's files hold the model's bits, and each manifest names its children's."""
    w, _ = toy.reference(shape)
    for role in range(shape.members):
        home = folder / state / f"role-{role}"
        assert sorted(p.name for p in home.iterdir()) == [f"generation-{generation}", "published"]
        text = (home / f"generation-{generation}" / "manifest.json").read_bytes()
        assert (home / "published").read_text() == f"{generation} {sha256(text).hexdigest()}\n"
        manifest = json.loads(text)
        shard = home / f"generation-{generation}" / manifest["shard"]["file"]
        assert manifest["shard"]["sha256"] == sha256(shard.read_bytes()).hexdigest()
        assert manifest["shard"]["bytes"] == shard.stat().st_size
        assert manifest["state"] == toy.state_hash(w)
        assert [manifest[k] for k in ("format", "role", "generation", "round")] == [
            1,
            role,
            generation,
            toy.ROUNDS,
        ]
        for child in manifest["children"]:
            below = folder / state / f"role-{child['role']}" / f"generation-{generation}" / "manifest.json"
            assert child["manifest"] == sha256(below.read_bytes()).hexdigest()
        assert [child["role"] for child in manifest["children"]] == shape.children(role)
        tensors = load_file(shard)
        assert tensors["params/w"].tobytes() == w.tobytes()
        assert tensors['optimizer/"count"'] == np.int32(toy.ROUNDS)
        assert [t["name"] for t in manifest["tensors"]] == sorted(tensors)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_system_has_the_models_bits(native: Toolchain, shape: Shape, tmp_path: Path) -> None:
    system = members(native, shape)
    w, lines = toy.reference(shape)
    for generation in (1, 2):
        ended = run(system, tmp_path)
        complete = f"complete: {toy.ROUNDS} rounds, state {toy.state_hash(w)}"
        assert {role: end.code for role, end in ended.items()} == dict.fromkeys(range(shape.members), 0), (
            ended
        )
        assert ended[0].lines == [*lines, f"alpha-build: role 0: {complete}"]
        for role in range(1, shape.members):
            assert ended[role].lines == [f"alpha-build: role {role}: {complete}"]
        check(shape, tmp_path, generation=generation)


def test_canonical_has_one_result(tmp_path: Path) -> None:
    """The model's own claim, so that the shapes above stand for all: one state of 1, 2, 3, 4, 5, 8 and 10
    members as pair, star, tree and mesh."""
    found: dict[str, set[bytes]] = {}
    for shape in SHAPES:
        found.setdefault(shape.order, set()).add(toy.reference(shape)[0].tobytes())
    assert len(found["canonical"]) == 1
    assert len(found["tree"]) > 1
    assert toy.reference(Shape(10, 2, "sequence"))[0].tobytes() != toy.reference(Shape(10, 2))[0].tobytes()
    assert {shape.members for shape in SHAPES if shape.order == "canonical"} == {1, 2, 3, 4, 5, 8, 10}


@pytest.mark.parametrize("shape", [Shape(4, 3), Shape(4, 2)], ids=str)
def test_a_tree_has_one_result_whatever_the_arrival_order(
    native: Toolchain, shape: Shape, tmp_path: Path
) -> None:
    """Fifty runs of each; a leaf announces nothing, so that leaves come in any order."""
    system, delays = members(native, shape), random.Random(1)
    leaves = [role for role in range(shape.members) if not shape.children(role)]

    def end(number: int, slept_s: list[float]) -> dict[int, Ended]:
        sleep = {
            role: ["sh", "-c", f'sleep {s}; exec "$@"', "sh"] for role, s in zip(leaves, slept_s, strict=True)
        }
        return run(system, tmp_path / str(number), prefix=sleep, budget_s=60)

    state = toy.state_hash(toy.reference(shape)[0])
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(end, i, [delays.choice([0, 0.002, 0.01]) for _ in leaves]) for i in range(50)]
    for one in runs:
        ended = one.result()
        assert all(each.code == 0 and state in each.lines[-1] for each in ended.values()), ended


@pytest.mark.cross
@pytest.mark.parametrize(
    "shape",
    [
        Shape(4, 2),
        Shape(4, 2, "canonical"),
        Shape(5, 8, "canonical", mesh=True),
        Shape(5, 2, "sequence"),
    ],
    ids=str,
)
def test_other_processor_has_the_same_bits(
    native: Toolchain, foreign: Toolchain, shape: Shape, tmp_path: Path
) -> None:
    """Emulated roles among the machine's own: one that adds and one that only sends."""
    system = members(native, shape)
    for role in (1, 3):
        system[role] = toy.member(shape, role, toy.linked(foreign), foreign.target.emulator)
    ended = run(system, tmp_path)
    assert [end.code for end in ended.values()] == [0] * shape.members, ended
    check(shape, tmp_path)
