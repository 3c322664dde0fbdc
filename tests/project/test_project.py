"""Projection of known systems: schedules as people read them, tables, edges, closes, shares."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings
from learner_program import learner_program, learner_system
from protocols import systems

import alpha_build as ab
from alpha_build.learner.program import StopRule
from alpha_build.projector.check import check, failures
from alpha_build.projector.project import Classes, project, schedule_text
from alpha_build.projector.project.closes import slots_used
from alpha_build.projector.project.program import (
    CloseStep,
    CombinePrefixStep,
    CombineStep,
    DeliverStep,
    ExchangeStep,
    RepeatStep,
)

REGIONS = {"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)}


def relay() -> ab.System:
    scale = ab.Operation("scale", reads=["x"], writes=["y"], cpp="y[0] = x[0] * 2.0f;")
    return ab.System(
        name="relay",
        members=3,
        topology=ab.Star(),
        regions={
            "x": ab.Region("f32", (1024,), initial=1.0),
            "y": ab.Region("f32", (1024,)),
            "go": ab.Word(),
        },
        operations=[scale, ab.Operation("decide", writes=["go"], cpp="go = round < 3 ? 1 : 0;")],
        protocol=ab.Repeat(
            5,
            ab.Sequence(
                ab.Local(0, "decide"),
                ab.Choice(
                    authority=0,
                    selector="go",
                    routes=[(0, 1), (0, 2)],
                    then=ab.Sequence(ab.Transfer(0, 1, "x"), ab.Local(1, "scale"), ab.Transfer(1, 0, "y")),
                    otherwise=ab.Transfer(0, 2, "x"),
                ),
            ),
        ),
    )


def own(protocol: Any, **fields: Any) -> ab.System:
    given: dict[str, Any] = {"members": 4, "topology": ab.Star(), "regions": REGIONS}
    return ab.System(name="own", protocol=protocol, **(given | fields))


def text(system: ab.System, role: int, program: Any = None) -> list[str]:
    """The schedule's lines without their places."""
    lines = schedule_text(*project(check(system, program), role)).splitlines()
    assert all("    # test_project.py:" in line or line.strip() in ("0:", "1:") or program for line in lines)
    return [line.split("    # ")[0] for line in lines]


def test_the_relays_schedules() -> None:
    assert text(relay(), 0) == [
        "repeat 5 times",
        "  run decide",
        "  choose by go (region 0) to child[0] (role 1), child[1] (role 2)",
        "    1:",
        "      send x (region 1) to child[0] (role 1)",
        "      receive y (region 2) from child[0] (role 1)",
        "    0:",
        "      send x (region 3) to child[1] (role 2)",
        "close child[0] (role 1)",
        "close child[1] (role 2)",
    ]
    assert text(relay(), 2) == [
        "repeat 5 times",
        "  choose by go (region 0) from parent (role 0)",
        "    0:",
        "      receive x (region 3) from parent (role 0)",
        "close parent (role 0)",
    ]


def test_a_role_holds_its_own_memory_and_operations_only() -> None:
    program, rows = project(check(relay()), 2)
    assert [buffer.name for buffer in program.buffers] == ["go", "x"]
    assert [(region.name, region.number, region.uses) for region in program.regions] == [
        ("Go", 0, 5),
        ("X3", 3, 5),
    ]
    assert program.operations == ()
    assert (program.kind, program.target, program.source) == ("leaf", "x86_64", "test_project.py")
    assert project(check(relay()), 1)[0].operations == ("scale",)
    assert project(check(relay()), 1)[0].buffers[1].initial == 1.0
    assert (rows.role, rows.members, [(edge.peer, edge.side) for edge in rows.edges]) == (
        2,
        3,
        [(0, "higher")],
    )


def test_a_learners_schedule() -> None:
    system = learner_system(4, topology=ab.Tree(fanout=2), pairing={3: ab.Target("aarch64")})
    assert text(system, 1, learner_program()) == [
        "start from the root's generation to child[0] (role 2), from parent (role 0)",
        "repeat 10 times",
        "  run gradient",
        "  combine gradient (region 1) adding child[0] (role 2), up to parent (role 0)",
        "  deliver gradient (region 2) to child[0] (role 2), from parent (role 0)",
        "  run update",
        "  after every 3 rounds and the last",
        "    run evaluate",
        "    combine metrics (region 3) adding child[0] (role 2), up to parent (role 0)",
        "publish the state with child[0] (role 2), under parent (role 0)",
        "close parent (role 0)",
        "close child[0] (role 2)",
    ]
    program, _ = project(check(system, learner_program()), 3)
    assert program.target == "aarch64"
    assert [(region.name, region.number) for region in program.regions] == [
        ("Start", 0),
        ("Gradient", 1),
        ("Total", 2),
        ("Metrics", 3),
        ("Manifest", 4),
        ("Commit", 5),
    ]
    assert [(buffer.name, buffer.element, buffer.count) for buffer in program.buffers] == [
        ("generation", "bytes", 40),
        ("gradient", "f32", 9),
        ("metrics", "f32", 1),
        ("manifest", "bytes", 32),
    ]


def test_the_root_s_word_to_stop_follows_the_update_or_the_evaluation() -> None:
    system = learner_system(4, topology=ab.Tree(fanout=2))
    of_loss = text(system, 1, learner_program(stop=StopRule("loss", 5, "min")))
    word = "end the repeat if stop (region {}) says so to child[0] (role 2), from parent (role 0)"
    assert of_loss[6:8] == ["  " + word.format(3), "  after every 3 rounds and the last"]
    of_metric = text(system, 1, learner_program(stop=StopRule("accuracy", 5, "max")))
    assert of_metric[9] == "    " + word.format(4)
    meshed = learner_system(3, topology=ab.Mesh())
    for role, said in ((0, " to peer[0] (role 1), peer[1] (role 2)"), (2, " from peer[0] (role 0)")):
        lines = text(meshed, role, learner_program(stop=StopRule("accuracy", 5, "max")))
        assert f"    end the repeat if stop (region 5) says so{said}" in lines


def test_one_participant_alone_combines_and_publishes() -> None:
    assert text(learner_system(1), 0, learner_program(every=0)) == [
        "start from the root's generation",
        "repeat 10 times",
        "  run gradient",
        "  combine gradient (region 1)",
        "  run update",
        "publish the state",
    ]


def test_a_pair_exchanges_what_it_delivers_to_both() -> None:
    lines = text(learner_system(2, topology=ab.Pair()), 1, learner_program())
    assert "  exchange gradient (region 1) with parent (role 0), both combine" in lines
    assert not any("deliver" in line for line in lines)
    assert "    combine metrics (region 3) up to parent (role 0)" in lines
    star = text(learner_system(2, topology=ab.Star()), 1, learner_program())
    assert "  combine gradient (region 1) up to parent (role 0)" in star
    assert "  deliver gradient (region 2) from parent (role 0)" in star


@pytest.mark.parametrize(
    ("between", "exchanged"),
    [
        (ab.Skip(), True),
        (ab.Everyone("other"), True),
        (ab.Sequence(ab.Sequence(ab.Everyone("other"))), True),
        (ab.Local(0, "scale"), False),
        (ab.Repeat(2, ab.Local(0, "scale")), False),
        (ab.Deliver("x", owners=1), False),
        (ab.Choice(0, "go", ab.Transfer(0, 1, "x")), False),
    ],
)
def test_a_pair_exchanges_only_what_nothing_touches_between(between: Any, exchanged: bool) -> None:
    operations = [
        ab.Operation("scale", reads="x", writes="x", cpp=""),
        ab.Operation("other", reads="go", cpp=""),
    ]
    protocol = ab.Sequence(ab.Combine("x"), between, ab.Deliver("x"))
    checked = check(own(protocol, members=2, topology=ab.Pair(), operations=operations))
    for role in (0, 1):
        steps = project(checked, role)[0].schedule
        assert any(isinstance(step, ExchangeStep) for step in steps) == exchanged
        assert any(isinstance(step, CombineStep) for step in steps) != exchanged
        assert (isinstance(steps[-2], DeliverStep)) != exchanged


def test_delivery_to_one_owner_runs_along_its_path() -> None:
    protocol = ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners=4))
    system = own(protocol, members=7, topology=ab.Tree(fanout=2))
    delivers = {role: [line for line in text(system, role) if "deliver" in line] for role in range(7)}
    assert delivers[0] == ["deliver x (region 1) to child[1] (role 4)"]
    assert delivers[4] == ["deliver x (region 1) from parent (role 0)"]
    assert not any(delivers[role] for role in (1, 2, 3, 5, 6))
    to_root = own(
        ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners=0)), members=7, topology=ab.Tree(fanout=2)
    )
    assert not any("deliver" in line for role in range(7) for line in text(to_root, role))


def test_the_way_to_an_owner_is_not_of_its_siblings_class() -> None:
    protocol = ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners=2))
    checked = check(own(protocol, members=7, topology=ab.Tree(fanout=2)))
    classes = Classes(checked)
    assert project(checked, 1)[0] != project(checked, 4)[0]
    assert classes.name(1) != classes.name(4)
    assert classes.name(5) == classes.name(6)


def test_an_edge_is_closed_after_its_last_use_and_unused_ones_first() -> None:
    loop = ab.Repeat(2, ab.Sequence(ab.Transfer(0, 2, "x"), ab.Transfer(3, 0, "x")))
    system = own(ab.Sequence(ab.Sequence(ab.Transfer(0, 3, "x")), loop, ab.Transfer(0, 3, "x")))
    assert text(system, 0) == [
        "close child[0] (role 1)",
        "send x (region 0) to child[2] (role 3)",
        "repeat 2 times",
        "  send x (region 1) to child[1] (role 2)",
        "  receive x (region 2) from child[2] (role 3)",
        "close child[1] (role 2)",
        "send x (region 3) to child[2] (role 3)",
        "close child[2] (role 3)",
    ]
    assert text(system, 1) == ["close parent (role 0)"]


def test_what_is_empty_for_a_role_vanishes() -> None:
    quiet = ab.Repeat(9, ab.Choice(0, "go", ab.Transfer(0, 1, "x"), routes=[(0, 1)]))
    assert text(own(ab.Sequence(quiet, ab.Repeat(0, ab.Combine("x")))), 2) == ["close parent (role 0)"]


def test_a_word_goes_away_from_its_authority() -> None:
    choice = ab.Choice(1, "go", ab.Everyone("work"))
    operations = [ab.Operation("work", cpp="")]
    system = own(choice, members=5, topology=ab.Tree(fanout=2), operations=operations)
    heads = [text(system, role)[0] for role in range(5)]
    assert heads == [
        "choose by go (region 0) to child[1] (role 3), from child[0] (role 1)",
        "choose by go (region 0) to parent (role 0), child[0] (role 2)",
        "choose by go (region 0) from parent (role 1)",
        "choose by go (region 0) to child[0] (role 4), from parent (role 0)",
        "choose by go (region 0) from parent (role 3)",
    ]


def test_roles_of_a_group_with_gaps() -> None:
    group = ab.ParticipantGroup(universe=100, selection=ab.stride(7, 20, 4))
    checked = check(own(ab.Transfer(7, 47, "x"), members=group))
    program, rows = project(checked, 7)
    assert [edge.peer for edge in rows.edges] == [27, 47, 67]
    assert [edge.name for edge in program.edges] == ["child[0]", "child[1]", "child[2]"]
    assert project(checked, 47)[1].edges[0].side == "higher"
    with pytest.raises(ab.MembershipFailure, match="role 8 is not a member"):
        project(checked, 8)


def test_a_mesh_names_its_peers() -> None:
    checked = check(own(ab.Transfer(1, 3, "x"), topology=ab.Mesh()))
    program, rows = project(checked, 1)
    assert program.kind == "peer"
    assert [(edge.name, row.peer, row.side) for edge, row in zip(program.edges, rows.edges, strict=True)] == [
        ("peer[0]", 0, "higher"),
        ("peer[1]", 2, "lower"),
        ("peer[2]", 3, "lower"),
    ]


@pytest.mark.parametrize("order", ["tree", "canonical"])
@pytest.mark.parametrize(("members", "fanout"), [(1, 8), (4, 2), (7, 2), (13, 3), (40, 3)])
def test_shares_partition_every_batch_and_subtrees_add_up(order: Any, members: int, fanout: int) -> None:
    contract = ab.Contract(order=order, block=8 if order == "canonical" else None)
    system = learner_system(members, topology=ab.Tree(fanout=fanout), contract=contract)
    checked = check(system, learner_program(samples=75, batch=32, evaluated=19))
    rows = [project(checked, role)[1] for role in range(members)]
    tree = ab.ParticipantTree(members, fanout)
    for kind, size in enumerate((32, 11, 19)):
        shares = [row.shares[kind] for row in rows]
        assert [sample for share in shares for sample in range(*share.samples)] == list(range(size))
        assert {share.block_count for share in shares} == {-(-size // 8) if order == "canonical" else 0}
        own_ranges = [share.blocks if order == "canonical" else share.samples for share in shares]
        for role, row in enumerate(rows):
            for edge, (begin, end) in zip(row.edges, shares[role].edges, strict=True):
                root = role if edge.side == "higher" else edge.peer
                span = tree.subtree(root)
                below = [
                    unit for member in range(span.begin, span.end) for unit in range(*own_ranges[member])
                ]
                assert below == list(range(begin, end))


def test_a_protocol_of_ones_own_has_no_shares() -> None:
    _, rows = project(check(relay()), 1)
    assert [share.samples for share in rows.shares] == [(0, 0)] * 3


def test_order_sequence_is_the_trees_order_on_one_level() -> None:
    program, _ = project(check(own(ab.Combine("x"), contract=ab.Contract(order="sequence"))), 0)
    assert program.order == "tree"
    combine = program.schedule[0]
    assert isinstance(combine, CombineStep)
    assert combine.children == (0, 1, 2)


def test_order_sequence_runs_through_a_deeper_tree() -> None:
    contract, topology = ab.Contract(order="sequence"), ab.Tree(fanout=2)
    system = own(ab.Combine("x"), members=5, topology=topology, contract=contract)
    checked = check(system)
    combine = project(checked, 1)[0].schedule[0]
    assert isinstance(combine, CombinePrefixStep)
    assert (combine.parent, combine.children) == (0, (1,))
    assert "in sequence" in schedule_text(*project(checked, 1))


@settings(max_examples=100, deadline=None)
@given(systems())
def test_equal_class_names_mean_equal_programs_and_every_edge_is_closed_once(system: ab.System) -> None:
    assume(not failures(system))
    checked = check(system)
    classes = Classes(checked)
    programs: dict[Any, Any] = {}
    for position in range(len(checked.group)):
        role = checked.group.member(position)
        program, rows = project(checked, role)
        assert programs.setdefault(classes.name(role), program) == program
        closed = [step.edge for step in program.schedule if isinstance(step, CloseStep)]
        assert sorted(closed) == list(range(len(rows.edges)))
        for index, step in enumerate(program.schedule):
            earlier = program.schedule[:index]
            gone = {other.edge for other in earlier if isinstance(other, CloseStep)}
            assert gone.isdisjoint(slots_used((step,)))
        assert not any(isinstance(step, RepeatStep) and not step.body for step in program.schedule)
