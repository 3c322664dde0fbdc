"""Structural forms in executables: groups with gaps, meshes, deliveries; the declared bits everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from alpha_build.build.toolchains import available
from alpha_build.gates.systems import fit
from alpha_build.run.artifacts import find_emulator
from alpha_build.state.load import load_state
from gates.conftest import EXAMPLES, alpha_build, build
from gates.forms import forms, mean, shown

pytestmark = pytest.mark.gates
METRIC = """\
def error(params, x, y):
    tiny = jnp.abs(x[0]) * 0 + jnp.float32(2**-70)
    return {"error": abs(x @ params["w"] - y), "tiny": tiny * jnp.float32(2**-70)}
metric = ab.Evaluation(error, samples=(x[:9], y[:9]), every=3)
"""
TINY = float(f"{2**-140:.9g}")  # as nine subnormal numbers, added and divided, are printed
EMULATED = bool(find_emulator("aarch64") and available("aarch64"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all builds, so that the runtime is compiled once."""
    return tmp_path_factory.mktemp("forms")


def run(folder: Path, text: str) -> Path:
    (folder / "forms.py").write_text(text)
    dist = build(folder / "forms.py", folder / "dist").path
    done = alpha_build("run", dist, "--json")
    assert done.returncode == 0, done.stderr
    return dist


def test_members_with_gaps_are_named_by_role_through_the_whole_path(folder: Path) -> None:
    roles = [4, 9, 12, 40, 41]
    selection = "ab.join(ab.stride(4, 5, 2), ab.stride(12, 28, 2), ab.stride(41, 1, 1))"
    group = f"ab.ParticipantGroup(universe=50, selection={selection})"
    text = forms(
        roles=roles,
        members=group,
        topology="Tree(fanout=2)",
        shows='show("all", "x"),',
        protocol='ab.Combine("x"), ab.Deliver("x"), ab.Everyone("all")',
    )
    dist = run(folder, text)
    manifest = json.loads((dist / "manifest.json").read_text())
    assert [entry["role"] for entry in manifest["roles"]] == roles
    assert [entry["file"] for entry in manifest["roles"]] == [f"forms.role-{role}.x86_64" for role in roles]
    peers = {entry["role"]: [edge["peer"] for edge in entry["edges"]] for entry in manifest["roles"]}
    assert peers == {4: [9, 40], 9: [4, 12], 12: [9], 40: [4, 41], 41: [40]}
    project = alpha_build("project", folder / "forms.py", "--role", 40).stdout
    assert "parent (role 4)" in project and "child[0] (role 41)" in project
    expected = np.array([mean(roles, round_, 2) for round_ in range(2)])
    for role in roles:
        assert shown(dist, role, "all").tobytes() == expected.tobytes()


@pytest.mark.parametrize("members", [1, 2, 5])
@pytest.mark.parametrize("fanout", [1, 2])
def test_a_mesh_gives_the_bits_of_a_tree(folder: Path, members: int, fanout: int) -> None:
    roles = list(range(members))
    text = forms(
        roles=roles,
        topology="Mesh()",
        contract=f"fanout={fanout}",
        pairing={members - 1: "aarch64"} if EMULATED else {},
        shows='show("all", "x"), show("part", "x", "x"), show("one", "x")',
        protocol='ab.Combine("x"), ab.Deliver("x", owners="parts"), ab.Everyone("part"), '
        f'ab.Deliver("x", owners={members - 1}), ab.Local({members - 1}, "one"), '
        'ab.Deliver("x"), ab.Everyone("all")',
    )
    dist = run(folder, text)
    expected = np.array([mean(roles, round_, fanout) for round_ in range(2)])
    bounds = [_bound(role, members) for role in range(members + 1)]
    for role in roles:
        assert shown(dist, role, "all").tobytes() == expected.tobytes()
        part = expected[:, bounds[role] : bounds[role + 1]]
        assert shown(dist, role, "part").tobytes() == part.tobytes()
    assert shown(dist, members - 1, "one").tobytes() == expected.tobytes()


def _bound(role: int, members: int) -> int:
    """Larger parts first."""
    return role * (33 // members) + min(role, 33 % members)


def test_order_sequence_runs_through_a_chain(folder: Path) -> None:
    """The bits of role 0, 1, 2, 3 one after the other, which the chain's own order has not."""
    roles = list(range(4))
    text = forms(
        roles=roles,
        topology="Tree(fanout=1)",
        contract='order="sequence"',
        pairing={2: "aarch64"} if EMULATED else {},
        shows='show("all", "x"),',
        protocol='ab.Combine("x"), ab.Deliver("x"), ab.Everyone("all")',
    )
    dist = run(folder, text)
    expected = np.array([mean(roles, round_, 3) for round_ in range(2)])
    assert expected.tobytes() != np.array([mean(roles, round_, 1) for round_ in range(2)]).tobytes()
    for role in roles:
        assert shown(dist, role, "all").tobytes() == expected.tobytes()


def test_the_example_of_parts_is_one_class_and_runs(folder: Path) -> None:
    dist = build(EXAMPLES / "parts.py", folder / "dist")
    assert {entry["class"] for entry in dist.manifest["roles"]} == {"peer-x86_64"}
    assert alpha_build("run", dist.path).returncode == 0


def test_a_learner_over_a_mesh_trains_the_state_of_one_over_a_tree(folder: Path) -> None:
    """Ten members share batches of 12 and a last one of 8: two of them are idle in it."""
    text = fit(members=10, fanout=8, rounds=4).replace("rounds=4)", "rounds=4, batch=12, evaluation=metric)")
    text = text.replace("system = ", METRIC + "system = ")
    results = []
    for topology in ("ab.Tree(fanout=8)", "ab.Mesh()"):
        (folder / "fit.py").write_text(text.replace("ab.Tree(fanout=8)", topology))
        dist = build(folder / "fit.py", folder / "dist").path
        state = folder / f"state {topology}"
        result = json.loads(alpha_build("run", dist, "--state", state, "--json").stdout)
        assert result["ok"]
        assert len({row["state"] for row in result["roles"]}) == 1
        results.append((result["rounds"], result["loss"], result["metrics"], result["roles"][0]["state"]))
    assert results[0] == results[1] and results[0][0] == 4
    assert results[0][2]["tiny"] == TINY


def test_order_canonical_gives_one_state_over_a_mesh_and_alone(folder: Path) -> None:
    """Three members, one of them emulated, on batches of 12, 12 and 8 in blocks of 4; and one member.  A leaf
    without elements is kept."""
    text = fit(rounds=4).replace("rounds=4)", "rounds=4, batch=12, evaluation=metric)")
    text = text.replace('rounding="fused"', 'rounding="fused", order="canonical", block=4')
    text = text.replace("state={", 'state={"none": np.zeros((1, 0, 2), np.float32), ')
    text = text.replace("system = ", METRIC + "system = ")
    pairing = 'pairing={2: ab.Target("aarch64")}' if EMULATED else "pairing={}"
    mesh = text.replace("members=4", "members=3").replace("pairing={}", pairing)
    results = []
    for one in (mesh.replace("ab.Tree(fanout=2)", "ab.Mesh()"), text.replace("members=4", "members=1")):
        (folder / "fit.py").write_text(one)
        dist = build(folder / "fit.py", folder / "dist").path
        result = json.loads(alpha_build("run", dist, "--state", folder / "canonical", "--json").stdout)
        assert result["ok"]
        assert len({row["state"] for row in result["roles"]}) == 1
        results.append((result["loss"], result["metrics"], result["roles"][0]["state"]))
    assert results[0] == results[1]
    assert results[0][1]["tiny"] == TINY
    assert load_state(folder / "canonical")["none"].shape == (1, 0, 2)


def test_what_lies_whole_is_scattered_and_broadcast_over_a_mesh(folder: Path) -> None:
    """Three elements among five members: two parts are empty."""
    roles = list(range(5))
    text = forms(
        roles=roles,
        topology="Mesh()",
        elements=3,
        shows='show("all", "x"), show("part", "x", "x"), show("one", "x")',
        protocol='ab.Deliver("x", owners=3), ab.Local(3, "one"), ab.Deliver("x", owners="parts"), '
        'ab.Everyone("part"), ab.Local(0, "fill_0"), ab.Deliver("x"), ab.Everyone("all")',
    )
    dist = run(folder, text)
    expected = np.array([mean([0], round_, 1, 3) for round_ in range(2)])
    assert shown(dist, 3, "one").tobytes() == expected.tobytes()
    for role in roles:
        assert shown(dist, role, "all").tobytes() == expected.tobytes()
        assert shown(dist, role, "part").tobytes() == expected[:, role : role + 1].tobytes()
