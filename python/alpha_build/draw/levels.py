"""A tree by levels: how many subtrees of which size, without listing the members."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..system.tree import ParticipantTree, Span, children_of, split

Level = Counter[int]  # number of subtrees by their size; at most two sizes a level


def levels(tree: ParticipantTree) -> tuple[Level, ...]:
    """From the root's level down."""
    found = [Counter({tree.count: 1})]
    while below := Counter[int](_below(found[-1], tree.fanout)):
        found.append(below)
    return tuple(found)


def child_counts(size: int, fanout: int) -> Level:
    """Children of one subtree, by their size."""
    chunks, larger, least = split(Span(0, size), fanout)
    return Counter({least + 1: larger}) + Counter({least: chunks - larger})


def path(tree: ParticipantTree, position: int) -> Iterator[int]:
    """Positions from the root to one of them."""
    at = 0
    yield at
    while at != position:
        spans = children_of(tree.subtree(at), tree.fanout)
        at = next(span.begin for span in spans if span.begin <= position < span.end)
        yield at


def _below(level: Level, fanout: int) -> dict[int, int]:
    total = Counter[int]()
    for size, count in level.items():
        for child, children in child_counts(size, fanout).items():
            total[child] += children * count
    return total
