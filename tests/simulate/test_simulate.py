"""Fault schedules by the thousand on the simulated kernel: nothing hangs, lies, leaks or ends unnamed."""

from __future__ import annotations

import threading
import time

import pytest

from alpha_build import simulate
from alpha_build.simulate import Tally, World
from alpha_build.system.errors import SystemFailure

SHAPES = {
    "tree": World(),
    "announced": World(parents=(0, 0, 0), announced=True),
    "chain": World(parents=(0, 1, 2)),
    "exchange": World(parents=(0,), exchange=True),
    "long frames": World(parents=(0, 0), elements=1300, frame_bytes=2048),
    "more children than staging": World(parents=(0,) * 10, rounds=2, elements=40, frame_bytes=64),
    "seven": World(parents=(0, 1, 1, 0, 4, 4)),
}
# Impatient, so that a search does not repeat the same vain attempts for simulated seconds.
PAIR = {"parents": (0,), "rounds": 1, "elements": 4, "connect": 1.5, "accept": 1.5, "wait": 1.0, "frame": 1.0}


def held(world: World, tally: Tally) -> None:
    """Fails with the shortest story of what was found."""
    if tally.findings:
        found = tally.findings[0]
        told = simulate.shrink(world, found.choices)
        pytest.fail(f"run {found.run}: {found.violation}\n{told.choices}\n" + "\n".join(told.story))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_calm_schedule_completes(shape: str) -> None:
    run = simulate.replay(SHAPES[shape], [])
    assert (run.violation, run.harms, run.story, run.choices) == ("", 0, (), ())
    assert [end.line for end in run.ends] == [
        f"alpha-build: role {i}: complete" for i in range(len(run.ends))
    ]


@pytest.mark.parametrize("shape", SHAPES)
def test_rough_schedules_complete(shape: str) -> None:
    """Interruptions, short calls, strangers, delays and failed attempts are survived by all."""
    tally = simulate.run_many(SHAPES[shape], 1500, rough=5, harm=0)
    held(SHAPES[shape], tally)
    assert (tally.complete, tally.harmed, tally.lost) == (1500, 0, 0)
    assert tally.exits == {0: 1500 * (len(SHAPES[shape].parents) + 1)}


@pytest.mark.parametrize("rough", [0, 8])
@pytest.mark.parametrize("shape", SHAPES)
def test_harmed_schedules_end_by_name(shape: str, rough: int) -> None:
    tally = simulate.run_many(SHAPES[shape], 1500, first=10_000, rough=rough, harm=120, harm_count_max=3)
    held(SHAPES[shape], tally)
    assert tally.harmed > 500
    assert {70, 71, 74, 75, 76, 77, 78, 79} <= tally.exits.keys()


@pytest.mark.slow
def test_a_hundred_thousand_schedules() -> None:
    begin = time.monotonic()
    tally = simulate.run_many(World(), 100_000)
    seconds = time.monotonic() - begin
    held(World(), tally)
    print(f"\n100,000 schedules of 4 roles x 3 rounds in {seconds:.1f} s, {tally}")
    assert tally.runs == 100_000
    assert tally.harmed > 50_000 and tally.complete > 10_000


@pytest.mark.parametrize("exchange", [False, True])
def test_every_pair_round_with_one_departure(exchange: bool) -> None:
    world = World(**PAIR, exchange=exchange)  # type: ignore[arg-type]
    tally = simulate.search(world, 1)
    held(world, tally)
    assert tally.whole
    # One schedule that is calm, and one for each other option of each of its decisions.
    assert tally.runs == 1 + sum(count - 1 for count in simulate.replay(world, []).options)


@pytest.mark.slow
def test_every_pair_round_with_two_departures() -> None:
    world = World(**PAIR)  # type: ignore[arg-type]
    tally = simulate.search(world, 2)
    held(world, tally)
    print(f"\nall {tally.runs} schedules of a pair round with at most two departures")
    assert tally.whole and tally.runs > 100_000


def test_a_search_that_is_cut_off_says_so() -> None:
    tally = simulate.search(World(**PAIR), 2, runs_max=100)  # type: ignore[arg-type]
    assert (tally.runs, tally.whole) == (100, False)


def test_a_seed_replays_and_so_does_its_list() -> None:
    for seed in range(60):
        run = simulate.run(World(), seed)
        assert simulate.run(World(), seed) == run
        assert simulate.replay(World(), run.choices) == run
    assert len({simulate.run(World(), seed).choices for seed in range(60)}) == 60


def test_a_story_names_time_role_call_and_what() -> None:
    stories = {line for seed in range(40) for line in simulate.run(World(), seed).story}
    assert any(line.startswith("0 us: role 0, call 0: starts late") for line in stories)
    assert any(": receive: " in line for line in stories)


def test_a_broken_rule_is_found_and_shrinks_to_what_breaks_it() -> None:
    """Budgets shorter than a late start: the code does right, the rule that calm roles complete is broken."""
    hasty = World(parents=(0,), connect=0.05, accept=0.05)
    tally = simulate.run_many(hasty, 2000, harm=0)
    assert 1 <= len(tally.findings) <= 16 and tally.runs < 2000
    found = max(tally.findings, key=lambda finding: sum(map(bool, finding.choices)))
    assert "fails unharmed: budget exhausted" in found.violation
    told = simulate.shrink(hasty, found.choices)
    assert told.violation
    assert len(told.story) == 1 and len(told.choices) <= len(found.choices)
    with pytest.raises(SystemFailure, match="break no rule"):
        simulate.shrink(hasty, [])


@pytest.mark.parametrize(("seed", "rough"), [(13340, 2), (6760, 3)])
def test_a_peer_that_was_answered_is_not_dropped_for_a_stranger(seed: int, rough: int) -> None:
    """Found here: of four candidates the oldest was dropped, which might be the peer before its trailer."""
    world = World(parents=(0, 0, 0), rounds=1, elements=4)
    tally = simulate.run_many(world, 3000, first=seed - 1500, rough=rough, harm=0)
    held(world, tally)


def test_threads_simulate_at_once() -> None:
    done: list[Tally] = []
    threads = [
        threading.Thread(target=lambda: done.append(simulate.run_many(World(), 1500))) for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    beats = 0
    while any(thread.is_alive() for thread in threads):
        beats += 1
        time.sleep(0.001)
    assert done[0] == done[1] and beats > 5


@pytest.mark.parametrize(
    ("wrong", "rule"),
    [
        ({"parents": ()}, "between 2 and 16 roles"),
        ({"parents": (0,) * 16}, "between 2 and 16 roles"),
        ({"parents": (0, 2)}, "every parent is a lower role"),
        ({"rounds": 0}, "at least one round"),
        ({"elements": 0}, "at least one round"),
        ({"frame_bytes": 12}, "multiple of 8"),
        ({"exchange": True}, "between two roles"),
        ({"canonical": True}, "order canonical has lives"),
        ({"canonical": True, "lives": 1, "parents": (0, 0, 1)}, "roles in preorder"),
        ({"wait": 0}, "budgets are above 0"),
    ],
)
def test_what_cannot_be_a_world_is_refused(wrong: dict[str, object], rule: str) -> None:
    with pytest.raises(SystemFailure, match=rule):
        World(**wrong)  # type: ignore[arg-type]
