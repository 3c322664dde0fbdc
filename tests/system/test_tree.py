"""Trees: the laws, every answer against a listed tree, and how many nodes one answer visits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import alpha_build.system.tree as tree_module
from alpha_build.system.tree import ParticipantTree, Span, covers


def listed_children(begin: int, count: int, fanout: int) -> dict[int, list[int]]:
    """The whole tree as lists, by the definition: chunks that differ by at most one, larger first."""
    rest = count - 1
    chunks = min(fanout, rest)
    sizes = [rest // chunks + (i < rest % chunks) for i in range(chunks)]
    children: dict[int, list[int]] = {begin: []}
    first = begin + 1
    for size in sizes:
        children[begin].append(first)
        children |= listed_children(first, size, fanout)
        first += size
    return children


def test_the_fleet_law() -> None:
    tree = ParticipantTree(200_000, 64)
    assert tree.levels == 3
    assert [span.count for span in tree.child_subtrees(0)] == [3_125] * 63 + [3_124]


@given(st.integers(1, 120), st.integers(1, 9))
def test_every_answer_agrees_with_the_listed_tree(count: int, fanout: int) -> None:
    tree = ParticipantTree(count, fanout)
    children = listed_children(0, count, fanout)
    parents = {child: role for role, below in children.items() for child in below}
    depths = {0: 0}
    for role in range(count):
        assert list(tree.children(role)) == children[role]
        assert tree.parent(role) == parents.get(role)
        if role:
            depths[role] = depths[parents[role]] + 1
        assert tree.depth(role) == depths[role]
        below = {role}
        for other in range(role + 1, count):
            if parents[other] in below:
                below.add(other)
        assert tree.subtree(role) == Span(min(below), max(below) + 1)
        assert tree.subtree(role).count == len(below)
        assert tree.certify(role)
        assert len(children[role]) + (role > 0) <= fanout + 1
    assert tree.levels == max(depths.values())


@pytest.mark.parametrize(
    "spans",
    [
        [Span(1, 3), Span(3, 6)],  # a smaller chunk first
        [Span(1, 4), Span(5, 6)],  # a gap
        [Span(1, 4), Span(3, 6)],  # an overlap
        [Span(1, 4), Span(4, 5)],  # short of the end
        [Span(2, 4), Span(4, 6)],  # begins late
        [Span(1, 5), Span(5, 6)],  # sizes differ by more than one
        [Span(1, 3), Span(3, 4), Span(4, 5), Span(5, 6)],  # more than the fan-out
        [Span(1, 6), Span(6, 6)],  # an empty child
    ],
)
def test_a_wrong_cover_is_not_certified(spans: list[Span]) -> None:
    assert covers(Span(0, 6), [Span(1, 4), Span(4, 6)], 3)
    assert not covers(Span(0, 6), spans, 3)


@pytest.mark.parametrize("count", [10, 1_000, 200_000, 2**62])
def test_an_answer_visits_one_path(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    visited: list[Span] = []

    def counted(span: Span, fanout: int) -> tuple[int, int, int]:
        visited.append(span)
        return split(span, fanout)

    split = tree_module.split
    monkeypatch.setattr(tree_module, "split", counted)
    tree = ParticipantTree(count, 64)
    levels = tree.levels
    for role in (0, 1, count // 3, count // 2, count - 1):
        for answer in (tree.parent, tree.subtree, tree.depth, tree.children, tree.certify):
            visited.clear()
            answer(role)
            assert len(visited) <= 2 * levels + 2 * 64 + 2


def test_positions_outside_have_no_answer() -> None:
    for position in (-1, 5):
        with pytest.raises(IndexError):
            ParticipantTree(5, 2).parent(position)
