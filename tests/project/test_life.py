"""Opening, choice, publication and abort of projected roles, every interleaving of them, nothing buffered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from learner_program import learner_program, learner_system
from life import Wrong, life_of, live
from model import Act, Move, Stuck, Todo
from protocols import systems

import alpha_build as ab
from alpha_build.projector.check import Checked, check, failures

SHAPES = [
    (1, ab.Tree()),
    (2, ab.Pair()),
    (3, ab.Star()),
    (3, ab.Tree(fanout=1)),
    (4, ab.Tree(fanout=2)),
    (3, ab.Mesh()),
]


def lives(checked: Checked) -> dict[int, Todo]:
    members = map(checked.group.member, range(len(checked.group)))
    return {role: life_of(checked, role) for role in members}


def learner(members: int, topology: Any) -> Checked:
    return check(learner_system(members, topology=topology), learner_program(rounds=1, every=0))


def chosen(members: int = 3, topology: Any = None) -> Checked:
    """Both arms differ for every role, twice."""
    choice = ab.Choice(
        0, "go", ab.Sequence(ab.Transfer(0, 1, "x"), ab.Transfer(1, 2, "x")), ab.Transfer(2, 1, "x")
    )
    system = ab.System(
        name="chosen",
        members=members,
        topology=topology or ab.Tree(fanout=1),
        regions={"x": ab.Region("f32", (2,), initial=0.0), "go": ab.Word(initial=0)},
        protocol=ab.Repeat(2, choice),
    )
    return check(system)


@pytest.mark.parametrize(("members", "topology"), SHAPES)
def test_without_a_fault_everybody_ends_and_has_published(members: int, topology: Any) -> None:
    for launched in (True, False):
        for end in live(lives(learner(members, topology)), fault=False, launched=launched):
            assert not end.lost and end.published == frozenset(range(members)) and not any(end.todo)


@pytest.mark.parametrize(("members", "topology"), SHAPES)
def test_one_lost_role_ends_the_run_and_nobody_publishes_unless_the_root_does(
    members: int, topology: Any
) -> None:
    ends = live(lives(learner(members, topology)), fault=True)
    assert all(0 in end.published or not end.published for end in ends)
    assert any(end.lost and not end.published for end in ends)
    assert any(end.lost and end.published for end in ends) == (members > 1)


@pytest.mark.parametrize("topology", [ab.Tree(fanout=1), ab.Mesh()])
def test_a_choice_ends_whichever_way_each_pass_goes_and_whoever_is_lost(topology: Any) -> None:
    todo = lives(chosen(topology=topology))
    assert all(not end.lost for end in live(todo, fault=False))
    assert any(len(end.lost) == 3 for end in live(todo, fault=True))


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(systems())
def test_every_accepted_protocol_ends_with_and_without_a_lost_role(system: ab.System) -> None:
    assume(not failures(system))
    todo = lives(check(system))
    assume(sum(map(len, todo.values())) < 45)
    assert all(not end.lost and not any(end.todo) for end in live(todo, fault=False))
    assert all(not end.lost for end in live(todo, fault=False, launched=False))
    assert any(end.lost for end in live(todo, fault=True))


def test_parts_of_a_mesh_end_too() -> None:
    protocol = ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners=1), ab.Deliver("x"))
    regions = {"x": ab.Region("f32", (5,), initial=0.0)}
    system = ab.System(name="mesh", members=3, topology=ab.Mesh(), regions=regions, protocol=protocol)
    assert all(not end.lost for end in live(lives(check(system)), fault=False))
    assert live(lives(check(system)), fault=True)


def test_mutant_that_announces_before_it_binds_meets_no_listener() -> None:
    todo = lives(learner(3, ab.Star()))
    start, bind, announce, *rest = todo[0]
    todo[0] = (start, announce, bind, *rest)
    with pytest.raises(Wrong, match=r"role [12] meets no listener of role 0"):
        live(todo, fault=False)


def test_mutant_that_publishes_before_the_word_is_caught() -> None:
    todo = lives(learner(3, ab.Tree(fanout=1)))
    steps = [step for step in todo[1] if step != Act("publish")]
    word = max(at for at, step in enumerate(steps) if isinstance(step, Move) and step.what == "receive")
    todo[1] = (*steps[:word], Act("publish"), *steps[word:])
    with pytest.raises(Wrong, match="role 1 publishes before the root, role 0"):
        live(todo, fault=False)


def test_mutant_that_accepts_before_it_connects_is_shown_with_its_cycle() -> None:
    """In a chain role 2 connects to role 1; were role 1 to send its word first, both would wait."""
    todo = lives(chosen())
    start, bind, announce, connect, accept, *rest = todo[1]
    todo[1] = (start, bind, announce, connect, *rest, accept)
    with pytest.raises(Stuck) as stuck:
        live(todo, fault=False)
    assert stuck.value.cycle == [
        (1, "send word 0 to role 2"),
        (2, "connect with role 1"),
    ]
