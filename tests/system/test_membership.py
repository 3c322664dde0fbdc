"""Groups: the laws of the design, every refusal with its node, look-ups against materialised sets."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import alpha_build as ab
from alpha_build.system.selection import Joined, Node, Repetition, Stride

FLEET = ab.repeat(625, 320, ab.repeat(8, 40, ab.repeat(2, 20, ab.stride(0, 1, 20))))


def members(selection: Any) -> list[int]:
    """The members as a list, by the definition and nothing else."""
    match selection:
        case Stride(start, step, count):
            return [start + step * i for i in range(count)]
        case Repetition(count, period, part):
            return [turn * period + role for turn in range(count) for role in members(part)]
        case Joined(parts):
            return [role for part in parts for role in members(part)]
    raise AssertionError(selection)


def nodes(node: Node) -> int:
    return 1 + sum(map(nodes, node.parts))


def test_fleet_is_the_roles_below_200_000_in_four_nodes() -> None:
    group = ab.ParticipantGroup(universe=200_000, selection=FLEET)
    assert len(group) == 200_000
    assert nodes(group._root) == 4
    for role in (0, 19, 20, 39, 40, 319, 320, 123_456, 199_999):
        assert group.member(role) == role == group.rank(role)


def test_joined_law() -> None:
    selection = ab.join(ab.stride(0, 2, 3), ab.repeat(3, 11, ab.stride(10, 3, 2)))
    group = ab.ParticipantGroup(universe=36, selection=selection)
    assert [group.member(i) for i in range(len(group))] == [0, 2, 4, 10, 13, 21, 24, 32, 35]
    assert nodes(group._root) == 4
    assert [role for role in range(-5, 50) if group.contains(role)] == [0, 2, 4, 10, 13, 21, 24, 32, 35]


def test_an_irregular_group_of_200_000_takes_few_nodes() -> None:
    selection = ab.join(
        ab.stride(3, 7, 10),
        ab.repeat(
            1_562,
            320,
            ab.join(ab.stride(100, 2, 31), ab.repeat(3, 50, ab.stride(200, 1, 31)), ab.stride(379, 3, 4)),
        ),
        ab.stride(600_000, 11, 54),
    )
    group = ab.ParticipantGroup(universe=700_000, selection=selection)
    listed = members(selection)
    assert len(group) == len(listed) == 200_000
    assert nodes(group._root) < 64
    gaps = {after - before for before, after in pairwise(listed)}
    assert len(gaps) > 5
    for position in (0, 9, 10, 41, 137, 99_999, 199_945, 199_946, 199_999):
        assert group.member(position) == listed[position]
        assert group.rank(listed[position]) == position


@st.composite
def selections(draw: st.DrawFn, depth: int = 2) -> Any:
    """Small selections whose parts never overlap, by construction."""
    kind = draw(st.sampled_from(["stride", "repeat", "join"] if depth else ["stride"]))
    if kind == "stride":
        return ab.stride(draw(st.integers(0, 9)), draw(st.integers(1, 4)), draw(st.integers(1, 5)))
    if kind == "repeat":
        part = draw(selections(depth=depth - 1))
        listed = members(part)
        period = listed[-1] - listed[0] + 1 + draw(st.integers(0, 5))
        return ab.repeat(draw(st.integers(1, 4)), period, part)
    parts: list[Any] = []
    end = -1
    for _ in range(draw(st.integers(1, 3))):
        part = draw(selections(depth=depth - 1))
        shift = max(0, end + 1 - members(part)[0]) + draw(st.integers(0, 3))
        parts.append(shifted(part, shift))
        end = members(parts[-1])[-1]
    return ab.join(*parts)


def shifted(selection: Any, by: int) -> Any:
    match selection:
        case Stride(start, step, count):
            return ab.stride(start + by, step, count)
        case Repetition(count, period, part):
            return ab.repeat(count, period, shifted(part, by))
        case Joined(parts):
            return ab.join(*(shifted(part, by) for part in parts))


@given(selections())
def test_look_ups_agree_with_the_materialised_set(selection: Any) -> None:
    listed = members(selection)
    assert listed == sorted(set(listed))
    group = ab.ParticipantGroup(universe=listed[-1] + 1, selection=selection)
    assert len(group) == len(listed)
    assert (group.first, group.last) == (listed[0], listed[-1])
    assert [group.member(i) for i in range(len(listed))] == listed
    assert [role for role in range(-2, listed[-1] + 3) if role in group] == listed
    for position, role in enumerate(listed):
        assert group.rank(role) == position


@given(st.integers(0, 9), st.integers(0, 30), selections(depth=1), selections(depth=1))
def test_whatever_overlaps_or_descends_is_refused(count: int, period: int, one: Any, other: Any) -> None:
    for selection in (ab.repeat(count, period, one), ab.join(one, other)):
        listed = members(selection)
        parts = (
            [members(selection.part)] * count
            if isinstance(selection, Repetition)
            else [members(one), members(other)]
        )
        shifts = [turn * period for turn in range(count)] if isinstance(selection, Repetition) else [0, 0]
        spans = [(part[0] + shift, part[-1] + shift) for part, shift in zip(parts, shifts, strict=True)]
        apart = all(before[1] < after[0] for before, after in pairwise(spans))
        if listed and apart:
            assert len(ab.ParticipantGroup(universe=listed[-1] + 1, selection=selection)) == len(listed)
        else:
            with pytest.raises(ab.MembershipFailure) as failed:
                ab.ParticipantGroup(universe=10_000, selection=selection)
            assert failed.value.kind in ("empty", "overlap", "out-of-order")


DEEP: Any = ab.stride(0, 1, 1)
for _ in range(5_000):
    DEEP = ab.repeat(1, 1, DEEP)


@pytest.mark.parametrize(
    ("kind", "node", "selection"),
    [
        ("empty", "selection stride", ab.stride(0, 1, 0)),
        ("empty", "selection repeat", ab.repeat(0, 9, ab.stride(0, 1, 2))),
        ("empty", "selection join", ab.join()),
        ("empty", "selection join.part[1] stride", ab.join(ab.stride(0, 1, 1), ab.stride(5, 1, 0))),
        ("overlap", "selection repeat", ab.repeat(2, 3, ab.stride(0, 3, 2))),
        ("overlap", "selection repeat", ab.repeat(2, 0, ab.stride(0, 1, 1))),
        ("overlap", "selection join.part[1]", ab.join(ab.stride(0, 2, 3), ab.stride(3, 1, 9))),
        ("out-of-order", "selection join.part[1]", ab.join(ab.stride(9, 1, 2), ab.stride(0, 1, 2))),
        ("step-zero", "selection repeat.part stride", ab.repeat(2, 9, ab.stride(4, 0, 2))),
        ("outside-universe", "selection", ab.stride(90, 1, 11)),
        ("overflow", "selection stride", ab.stride(2**62, 2**62, 3)),
        ("overflow", "selection repeat", ab.repeat(2**62, 4, ab.stride(0, 1, 4))),
        ("overflow", "selection stride", ab.stride(2**63, 1, 1)),
        ("negative", "selection stride", ab.stride(5, -1, 3)),
        ("not-an-integer", "selection stride", ab.stride(0, 1.0, 3)),  # type: ignore[arg-type]
        ("not-an-integer", "selection repeat", ab.repeat(True, 9, ab.stride(0, 1, 1))),
        ("not-a-selection", "selection", [0, 1, 2]),
        ("too-many-nodes", "selection", ab.join(*(ab.stride(i, 1, 1) for i in range(64)))),
        ("too-many-nodes", "selection", DEEP),
    ],
)
def test_each_refusal_names_its_node(kind: str, node: str, selection: Any) -> None:
    with pytest.raises(ab.MembershipFailure) as failed:
        ab.ParticipantGroup(universe=100, selection=selection)
    assert failed.value.kind == kind
    assert failed.value.where is not None
    assert failed.value.where.startswith("test_membership.py:")
    assert failed.value.where.endswith(f" {node}")


def test_the_node_budget_is_the_users_to_raise() -> None:
    selection = ab.join(*(ab.stride(2 * i, 1, 1) for i in range(64)))
    assert len(ab.ParticipantGroup(universe=200, selection=selection, node_count_max=65)) == 64


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("universe", {"universe": 0}),
        ("universe", {"universe": 2**63}),
        ("universe", {"universe": True}),
        ("epoch", {"universe": 4, "epoch": -1}),
        ("identity", {"universe": 4, "identity": "text"}),
    ],
)
def test_numbers_of_a_group(kind: str, fields: dict[str, Any]) -> None:
    with pytest.raises(ab.MembershipFailure) as failed:
        ab.ParticipantGroup(**fields)
    assert failed.value.kind == kind


def test_step_zero_names_one_member() -> None:
    assert ab.ParticipantGroup(universe=9, selection=ab.stride(4, 0, 1)).rank(4) == 0


def test_no_member_has_no_rank() -> None:
    group = ab.ParticipantGroup(universe=9, selection=ab.stride(0, 2, 4))
    with pytest.raises(ab.MembershipFailure, match="role 3 is not a member"):
        group.rank(3)
    with pytest.raises(IndexError):
        group.member(4)
    assert True not in group


def test_the_digest_is_of_the_selection_as_written() -> None:
    whole = ab.ParticipantGroup(universe=40)
    same = ab.ParticipantGroup(universe=40, selection=ab.stride(0, 1, 40))
    other = ab.ParticipantGroup(universe=40, selection=ab.repeat(2, 20, ab.stride(0, 1, 20)))
    assert whole.digest == same.digest
    digests = {whole.digest, other.digest}
    digests |= {ab.ParticipantGroup(universe=41, selection=ab.stride(0, 1, 40)).digest}
    digests |= {
        ab.ParticipantGroup(universe=40, epoch=1).digest,
        ab.ParticipantGroup(universe=40, identity=b"x").digest,
    }
    assert len(digests) == 5
