"""Every accepted protocol finishes under every interleaving; a role with its steps reordered does not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from learner_program import learner_program, learner_system
from model import Move, Stuck, explore, todo_of
from protocols import systems

import alpha_build as ab
from alpha_build.projector.check import check, failures
from alpha_build.projector.check.checked import Checked

SLOW = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def roles(checked: Checked) -> list[int]:
    return [checked.group.member(position) for position in range(len(checked.group))]


@SLOW
@given(systems())
def test_every_accepted_protocol_finishes(system: ab.System) -> None:
    assume(not failures(system))
    checked = check(system)
    todo = {role: todo_of(checked, role) for role in roles(checked)}
    assume(sum(map(len, todo.values())) < 60)
    states = explore(todo)
    event("large" if states > 20 else "small")


@pytest.mark.parametrize(
    ("members", "topology"),
    [
        (1, ab.Tree()),
        (2, ab.Pair()),
        (2, ab.Star()),
        (4, ab.Star()),
        (4, ab.Tree(fanout=1)),
        (5, ab.Tree(fanout=2)),
        (3, ab.Mesh()),
    ],
)
def test_a_learner_finishes(members: int, topology: ab.system.topology.Topology) -> None:
    checked = check(learner_system(members, topology=topology), learner_program(rounds=3, every=2))
    assert explore({role: todo_of(checked, role) for role in range(members)}) >= 1


def test_reordered_steps_are_caught_with_their_cycle() -> None:
    ring = ab.Sequence(ab.Transfer(0, 1, "x"), ab.Transfer(1, 2, "x"), ab.Transfer(2, 0, "x"))
    protocol = ab.Repeat(2, ring)
    region = ab.Region("f32", (2,), initial=0.0)
    checked = check(
        ab.System(name="ring", members=3, topology=ab.Mesh(), regions={"x": region}, protocol=protocol)
    )
    todo = {role: todo_of(checked, role) for role in range(3)}
    assert explore(todo) > 6
    first, second, *rest = todo[0]
    assert first == Move("send", 1, 0)
    todo[0] = (second, first, *rest)
    with pytest.raises(Stuck) as stuck:
        explore(todo)
    assert stuck.value.cycle == [
        (0, "receive region 2 from role 2"),
        (2, "receive region 1 from role 1"),
        (1, "receive region 0 from role 0"),
    ]


def test_a_close_out_of_place_is_caught() -> None:
    checked = check(learner_system(3, topology=ab.Star()), learner_program(rounds=1, every=0))
    todo = {role: todo_of(checked, role) for role in range(3)}
    *steps, one, other = todo[0]
    todo[0] = (one, *steps, other)
    with pytest.raises(Stuck, match="role 0 waits to close with role 1"):
        explore(todo)
