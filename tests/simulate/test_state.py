"""State on simulated disks: errors, kills and loss of power at any call, and starts on what is left."""

from __future__ import annotations

import re

import pytest

from alpha_build import simulate
from alpha_build.simulate import World
from simulate.test_simulate import PAIR, held

TREE = World(rounds=1, elements=6, lives=3)
PEERS = World(parents=(0,), rounds=1, elements=6, lives=4)
SHAPES = {
    "tree": TREE,
    "pair": PEERS,
    "exchange": World(parents=(0,), rounds=1, exchange=True, lives=2),
    "canonical": World(rounds=2, canonical=True, lives=2),
    "canonical pair": World(parents=(0,), rounds=2, exchange=True, canonical=True, lives=2),
    "canonical, long": World(
        parents=(0, 1, 1, 0, 4, 4), rounds=1, elements=1300, frame_bytes=2048, canonical=True, lives=2
    ),
    "large": World(parents=(0, 0), rounds=2, elements=1300, frame_bytes=2048, lives=2),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_calm_lives_complete(shape: str) -> None:
    world = SHAPES[shape]
    run = simulate.replay(world, [])
    assert (run.violation, run.harms, run.story) == ("", 0, ())
    assert len(run.ends) == world.lives * (len(world.parents) + 1)
    assert {end.state for end in run.ends} == {"ended"} and {end.exit for end in run.ends} == {0}
    assert all(re.search(r": complete: \d+ rounds, state [0-9a-f]{64}$", end.line) for end in run.ends)
    # Each life trains something else.
    assert len({end.line for end in run.ends}) == len(run.ends)


@pytest.mark.parametrize("shape", SHAPES)
def test_rough_lives_complete(shape: str) -> None:
    """Short and interrupted writes are survived; loss of power afterwards takes nothing back."""
    tally = simulate.run_many(SHAPES[shape], 800, rough=8, harm=0)
    held(SHAPES[shape], tally)
    assert (tally.complete, tally.harmed, tally.lost) == (800, 0, 0)


@pytest.mark.parametrize("shape", SHAPES)
def test_harmed_lives_leave_one_whole_state(shape: str) -> None:
    tally = simulate.run_many(SHAPES[shape], 1500, rough=16, harm=400, harm_count_max=4)
    held(SHAPES[shape], tally)
    assert tally.harmed > 900 and {0, 74, 78, 80} <= tally.exits.keys()


def test_every_state_of_a_pair_with_one_departure() -> None:
    world = World(**PAIR, lives=2)  # type: ignore[arg-type]
    tally = simulate.search(world, 1)
    held(world, tally)
    assert tally.whole and tally.runs > 500


def test_a_story_tells_of_disks() -> None:
    stories = "\n".join(
        line for seed in range(200) for line in simulate.run(TREE, seed, harm=200, harm_count_max=4).story
    )
    for words in (
        "loses power",
        "power is lost afterwards",
        "write: half",
        "write: from now on the disk is full",
        ": from now on the disk is read-only",
        "flush: input or output error",
    ):
        assert words in stories


def test_a_seed_of_lives_replays_and_so_does_its_list() -> None:
    for seed in range(20):
        run = simulate.run(TREE, seed, harm=300)
        assert simulate.run(TREE, seed, harm=300) == run
        assert simulate.replay(TREE, run.choices) == run
