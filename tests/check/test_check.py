"""Checks that need more than one refused file: learners, groups, numbers as NumPy gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from learner_program import learner_program, learner_system

import alpha_build as ab
from alpha_build.projector.check import check, failures

REGIONS = {"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)}


def own(protocol: Any, **fields: Any) -> ab.System:
    given: dict[str, Any] = {"members": 4, "topology": ab.Star(), "regions": REGIONS}
    return ab.System(name="own", protocol=protocol, **(given | fields))


def test_numpy_numbers_are_numbers() -> None:
    protocol = ab.Sequence(*(ab.Transfer(0, role, "x") for role in np.arange(1, 4)))
    checked = check(own(ab.Repeat(np.int64(3), protocol), members=np.int32(4)))
    assert (
        checked.identity
        == check(own(ab.Repeat(3, ab.Sequence(*(ab.Transfer(0, r, "x") for r in (1, 2, 3)))))).identity
    )


def test_forms_are_numbered_in_preorder_then_before_otherwise() -> None:
    inner = ab.Choice(0, "go", ab.Transfer(0, 1, "x"), ab.Sequence(ab.Transfer(0, 2, "x"), ab.Combine("x")))
    checked = check(own(ab.Sequence(ab.Repeat(0, ab.Transfer(0, 3, "x")), inner, ab.Deliver("x"))))
    repeat, choice, deliver = checked.nodes
    assert [wire.number for wire in repeat.parts[0].wires] == [0]
    assert choice.wires[0].number == 1
    assert choice.parts[0].wires[0].number == 2
    assert [node.wires[0].number for node in choice.otherwise] == [3, 4]
    assert deliver.wires[0].number == 5
    names = [
        node.wires[0].name for node in (repeat.parts[0], choice, choice.parts[0], *choice.otherwise, deliver)
    ]
    assert len(set(names)) == 6


def test_names_stay_apart_when_a_region_looks_like_another_with_a_number() -> None:
    regions = {"x": ab.Region("f32", initial=0.0), "x1": ab.Region("f32", initial=0.0)}
    forms = (ab.Transfer(0, 1, "x"), ab.Transfer(0, 1, "x"), ab.Transfer(0, 1, "x1"))
    nodes = check(own(ab.Sequence(*forms), regions=regions)).nodes
    assert len({node.wires[0].name for node in nodes}) == 3


def test_uses_are_the_product_of_the_repeats() -> None:
    nodes = check(own(ab.Repeat(3, ab.Repeat(5, ab.Transfer(0, 1, "x"))))).nodes
    assert nodes[0].parts[0].parts[0].wires[0].uses == 15
    learned = check(learner_system(rounds=10), learner_program(rounds=10, every=3)).nodes
    every = learned[1].parts[-1]
    assert every.parts[1].wires[0].uses == 4  # after rounds 3, 6, 9 and the last


def test_a_group_with_gaps_names_roles_not_positions() -> None:
    group = ab.ParticipantGroup(universe=100, selection=ab.stride(5, 10, 4))
    assert failures(own(ab.Transfer(5, 15, "x"), members=group)) == ()
    (failure,) = failures(own(ab.Transfer(5, 16, "x"), members=group))
    assert failure.kind == "receiver-out-of-range"
    (failure,) = failures(own(ab.Transfer(15, 25, "x"), members=group))
    assert failure.kind == "no-edge"


def test_one_member_needs_no_topology() -> None:
    assert failures(ab.System(name="one", members=1, protocol=ab.Skip())) == ()
    assert check(learner_system(1), learner_program()).shape.edge_count_max == 0


def test_the_contracts_element_is_the_learners() -> None:
    with pytest.raises(ab.ContractFailure) as failed:
        check(learner_system(contract=ab.Contract(element="f64")), learner_program())
    assert failed.value.kind == "element-differs"


def test_a_learners_system_is_checked_before_tracing() -> None:
    assert failures(learner_system()) == ()
    found = failures(learner_system(0, contract=ab.Contract(fanout=3)))
    assert [failure.kind for failure in found] == ["members"]
    found = failures(learner_system(contract=ab.Contract(fanout=3)))
    assert [failure.kind for failure in found] == ["contract-fanout"]


def test_check_raises_the_first_failure_with_all_the_others() -> None:
    with pytest.raises(ab.ProtocolFailure) as failed:
        check(own(ab.Sequence(ab.Transfer(0, 0, "x"), ab.Transfer(1, 2, "x"), ab.Transfer(0, 9, "x"))))
    assert [failure.kind for failure in failed.value.failures] == [
        "self-transfer",
        "no-edge",
        "receiver-out-of-range",
    ]


def test_overrides_that_repeat_the_system_are_taken() -> None:
    protocol = ab.Combine("x", topology=ab.Star(), contract=ab.Contract())
    assert failures(own(protocol)) == ()
    assert check(own(protocol)).identity.protocol != check(own(ab.Combine("x"))).identity.protocol


def test_order_sequence_is_taken_on_every_topology() -> None:
    contract = ab.Contract(order="sequence")
    for members, topology in (
        (2, ab.Pair()),
        (5, ab.Star()),
        (5, ab.Tree(fanout=2)),
        (1, ab.Tree()),
        (3, ab.Mesh()),
    ):
        assert failures(own(ab.Skip(), members=members, topology=topology, contract=contract)) == ()


def test_a_choice_informs_everybody_by_default() -> None:
    choice = ab.Choice(3, "go", ab.Sequence(ab.Combine("x"), ab.Deliver("x")), ab.Transfer(0, 1, "x"))
    assert failures(own(choice)) == ()


def test_an_inner_choice_may_not_begin_with_somebody_uninformed() -> None:
    inner = ab.Choice(0, "go", ab.Skip(), routes=[(0, 2)])
    outer = ab.Choice(0, "go", inner, routes=[(0, 1)])
    (failure,) = failures(own(outer))
    assert failure.kind == "choice-uninformed"
    assert "role 2" in failure.message


def test_an_inner_choice_along_the_topology_is_everybodys() -> None:
    outer = ab.Choice(0, "go", ab.Choice(0, "go", ab.Skip()), routes=[(0, 1)])
    (failure,) = failures(own(outer))
    assert failure.kind == "choice-uninformed"
    assert "role 2" in failure.message


def test_a_loop_of_one_pass_has_no_second() -> None:
    assert failures(own(ab.Repeat(1, ab.Combine("x")))) == ()
    assert [failure.kind for failure in failures(own(ab.Repeat(2, ab.Combine("x"))))] == [
        "read-before-written"
    ]
