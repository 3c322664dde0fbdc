"""Pictures as graphviz's text, which needs none of its programs; one is rendered where they are installed."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import alpha_build as ab
from alpha_build.cli import commands
from alpha_build.draw import PICTURES, write
from alpha_build.draw.events import Arrow, Close, Open, Work, events_of
from alpha_build.draw.levels import levels
from alpha_build.projector.check import Checked, check
from alpha_build.system.load import load_system

EXAMPLES = Path(__file__).parents[2] / "examples"
REGIONS = {"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)}


def example(name: str) -> Checked:
    return check(load_system(str(EXAMPLES / f"{name}.py")))


def own(protocol: Any, **fields: Any) -> Checked:
    given: dict[str, Any] = {"members": 4, "topology": ab.Tree(fanout=2), "regions": REGIONS}
    return check(ab.System(name="own", protocol=protocol, **(given | fields)))


@pytest.mark.parametrize(("members", "fanout"), [(1, 1), (2, 1), (7, 2), (100, 3), (1000, 64)])
def test_levels_are_those_of_the_members_one_by_one(members: int, fanout: int) -> None:
    tree = ab.ParticipantTree(members, fanout)
    found = levels(tree)
    assert len(found) == tree.levels + 1
    for depth, level in enumerate(found):
        sizes = [tree.subtree(at).count for at in range(members) if tree.depth(at) == depth]
        assert sorted(level.elements()) == sorted(sizes)


def test_a_small_tree_shows_every_role_and_edge() -> None:
    text = PICTURES["topology"](own(ab.Skip(), pairing={2: ab.Target("aarch64")})).source
    assert re.findall(r"label=\"role (\d)", text) == ["0", "1", "2", "3"]
    assert "role 2\naarch64" in text
    assert re.findall(r"(\d) -- (\d)", text) == [("0", "1"), ("0", "3"), ("1", "2")]


def test_a_fleet_is_a_summary_whose_counts_add_up() -> None:
    text = PICTURES["topology"](example("fleet")).source
    roles = [int(number.replace(",", "")) for number in re.findall(r"\"([\d,]+) role", text)]
    edges = [int(number.replace(",", "")) for number in re.findall(r"\"([\d,]+) edge", text)]
    assert sum(roles) == sum(edges) == 199_999 and len(text) < 3_000
    assert "63 roles\n3,124 below each" in text and "1 role\n3,123 below" in text


def test_a_mesh_shows_its_pairs_or_their_number() -> None:
    small = PICTURES["topology"](own(ab.Skip(), topology=ab.Mesh())).source
    assert len(re.findall(" -- ", small)) == 6
    large = PICTURES["topology"](own(ab.Skip(), topology=ab.Mesh(), members=100)).source
    assert "100 members" in large and "4,950 edges" in large and " -- " not in large


def test_a_sequence_follows_the_protocol() -> None:
    found = events_of(example("relay"))
    assert found.lanes == ("role 0", "role 1", "role 2")
    assert found.events == (
        Open("5 times"), Work((0,), "decide"), Arrow(0, 1, "go"), Arrow(0, 2, "go"),
        Open("go is 1"), Arrow(0, 1, "x"), Work((1,), "scale"), Arrow(1, 0, "y"), Close(),
        Open("go is 0"), Arrow(0, 2, "x"), Close(), Close(),
    )  # fmt: skip


def test_structural_forms_are_their_transfers_in_a_small_run() -> None:
    protocol = ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners=2))
    arrows = [(e.source, e.target) for e in events_of(own(protocol)).events if isinstance(e, Arrow)]
    assert arrows == [(2, 1), (1, 0), (3, 0), (0, 1), (1, 2)]
    mesh = events_of(own(ab.Sequence(ab.Combine("x"), ab.Deliver("x")), topology=ab.Mesh(), members=3))
    arrows = [(e.source, e.target) for e in mesh.events if isinstance(e, Arrow)]
    assert arrows == [
        (1, 0),
        (2, 0),
        (0, 1),
        (2, 1),
        (0, 2),
        (1, 2),
        (0, 1),
        (0, 2),
        (1, 0),
        (1, 2),
        (2, 0),
        (2, 1),
    ]


def test_a_word_goes_away_from_its_authority() -> None:
    events = events_of(own(ab.Choice(3, "go", ab.Transfer(0, 1, "x")))).events
    assert [(e.source, e.target) for e in events if isinstance(e, Arrow)] == [(3, 0), (0, 1), (1, 2), (0, 1)]


def test_a_fleets_sequence_counts_transfers_between_levels() -> None:
    found = events_of(example("fleet"))
    assert [lane.split("\n")[1] for lane in found.lanes] == [
        "1 role",
        "64 roles",
        "4,096 roles",
        "195,839 roles",
    ]
    assert Arrow(3, 2, "combine g, 195,839 transfers") in found.events
    assert found.events.index(Arrow(3, 2, "combine g, 195,839 transfers")) < found.events.index(
        Arrow(0, 1, "deliver g, 64 transfers")
    )


@pytest.mark.parametrize("kind", PICTURES)
def test_equal_systems_give_equal_text(kind: str) -> None:
    assert PICTURES[kind](example("relay")).source == PICTURES[kind](example("relay")).source
    assert PICTURES[kind](example("relay")).source != PICTURES[kind](example("star")).source


def test_the_command_writes_text_without_graphvizs_programs(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("PATH", "")
    run = CliRunner().invoke
    done = run(commands, ["draw", str(EXAMPLES / "relay.py"), "--out", str(tmp_path / "relay.dot")])
    assert done.exit_code == 0 and (tmp_path / "relay.dot").read_text().startswith("graph topology")
    for kind in PICTURES:
        with pytest.raises(ab.BuildFailure, match="apt-get install graphviz"):
            write(PICTURES[kind](example("relay")), tmp_path / "relay.svg")
    with pytest.raises(ab.BuildFailure, match="is not a format of pictures"):
        write(PICTURES["topology"](example("relay")), tmp_path / "relay.jpg")


@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz's programs are not installed")
@pytest.mark.parametrize("kind", PICTURES)
def test_a_picture_is_rendered_the_same_twice(kind: str, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        write(PICTURES[kind](example("relay")), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    assert "role 2" in (tmp_path / "one.svg").read_text()
