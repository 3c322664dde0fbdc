"""Many roles of one system: artifacts with their own edges and true manifest entries; runs of 10, 50, 64."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import alpha_build as ab
from alpha_build.build.elf import read_artifact
from alpha_build.build.toolchains import available
from alpha_build.gates.systems import fit
from alpha_build.run.artifacts import find_emulator
from alpha_build.state.load import states
from gates.conftest import alpha_build, build
from gates.forms import forms, mean, shown

pytestmark = pytest.mark.gates
EMULATED = bool(find_emulator("aarch64") and available("aarch64"))

SUM = """\
import alpha_build as ab
expect = ab.Operation("expect", reads=["x"], preamble='#include "base/assert.h"',
    cpp="const float n = {members}; for (float each : x) ALPHA_ASSERT(each == (round == 0 ? n : n * n));")
system = ab.System(
    name="sum", members={members}, topology=ab.Tree(fanout=4), contract=ab.Contract(normalization="sum"),
    regions={{"x": ab.Region("f32", (1000,), initial=1.0)}}, frame_bytes=512, operations=[expect],
    protocol=ab.Repeat({rounds}, ab.Sequence(ab.Combine("x"), ab.Deliver("x"), ab.Everyone("expect"))),
)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all builds, so that the runtime is compiled once."""
    return tmp_path_factory.mktemp("fleet")


def built(folder: Path, text: str) -> Path:
    (folder / "fleet.py").write_text(text)
    return build(folder / "fleet.py", folder / "dist").path


def test_ten_members_in_a_tree_of_fanout_3_one_of_them_emulated(folder: Path) -> None:
    roles = list(range(10))
    text = forms(
        roles=roles,
        topology="Tree(fanout=3)",
        pairing={5: "aarch64"} if EMULATED else {},
        shows='show("all", "x"),',
        protocol='ab.Combine("x"), ab.Deliver("x"), ab.Everyone("all")',
    )
    dist = built(folder, text)
    done = alpha_build("run", dist, "--json")
    assert done.returncode == 0, done.stderr
    expected = np.array([mean(roles, round_, 3) for round_ in range(2)])
    assert all(shown(dist, role, "all").tobytes() == expected.tobytes() for role in roles)


def test_64_members_on_one_machine(folder: Path) -> None:
    dist = built(folder, SUM.format(members=64, rounds=2))
    result = json.loads(alpha_build("run", dist, "--json").stdout)
    assert result["ok"] and [row["exit"] for row in result["roles"]] == [0] * 64
    classes = {row["class"] for row in json.loads((dist / "manifest.json").read_text())["roles"]}
    assert len(classes) <= 6


def test_a_repeat_of_200_000_takes_the_bytes_of_one_of_four(folder: Path) -> None:
    sizes = []
    for rounds in (4, 200_000):
        dist = built(folder, SUM.format(members=3, rounds=rounds))
        sizes.append([path.stat().st_size for path in sorted(dist.glob("sum.role-*"))])
    assert len(sizes[0]) == 3 and sizes[0] == sizes[1]


@pytest.mark.slow
def test_every_artifact_of_a_large_tree_is_what_the_manifest_says(folder: Path) -> None:
    members, fanout = 400, 20
    dist = built(folder, fit(members=members, fanout=fanout))
    manifest = json.loads((dist / "manifest.json").read_text())
    tree = ab.ParticipantTree(members, fanout)
    assert [entry["role"] for entry in manifest["roles"]] == list(range(members))
    for entry in manifest["roles"]:
        role, data = entry["role"], (dist / entry["file"]).read_bytes()
        assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
        parent = tree.parent(role)
        peers = [*([] if parent is None else [parent]), *tree.children(role)]
        assert [edge["peer"] for edge in entry["edges"]] == peers
        note = json.loads(next(note.data for note in read_artifact(data).notes if note.kind == 1))
        assert note == {key: entry[key] for key in entry if key not in ("file", "bytes", "sha256")}
    assert len({entry["class"] for entry in manifest["roles"]}) == 4
    assert len(list((dist / "src").glob("*.cpp"))) == 4 + 1  # the learner's programs


@pytest.mark.slow
def test_fifty_members_of_the_same_learner_complete(folder: Path) -> None:
    dist = built(folder, fit(members=50, fanout=7))
    result = json.loads(alpha_build("run", dist, "--json").stdout)
    assert result["ok"] and result["rounds"] == 3
    assert [row["exit"] for row in result["roles"]] == [0] * 50
    found = states(dist / "state")
    assert len(found) == 50 and len({owner.hash for owner in found}) == 1
