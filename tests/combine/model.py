"""The rules of docs/contract.md in plain NumPy, written from the page and not from the C++."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def add(left: Array | None, right: Array | None) -> Array | None:
    """One addition, nothing for what is absent, NaN canonical."""
    if left is None or right is None:
        return right if left is None else left
    with np.errstate(all="ignore"):
        total = left + right
    if total.dtype.kind == "f":
        total[np.isnan(total)] = np.array(np.nan, total.dtype)  # NumPy's own NaN is the canonical one
    return total


def chunks(count: int, parts: int) -> list[int]:
    """Sizes of at most `parts` parts that differ by at most one, larger first."""
    parts = min(count, parts)
    return [count // parts + (i < count % parts) for i in range(parts)]


def tree(values: Sequence[Array | None], fanout: int) -> Array | None:
    """Order tree over ParticipantTree(len(values), fanout) in preorder."""
    total, at = values[0], 1
    for size in chunks(len(values) - 1, fanout):
        total = add(total, tree(values[at : at + size], fanout))
        at += size
    return total


def node(blocks: Sequence[Array], level: int, index: int) -> Array | None:
    """S(level, index) by its definition."""
    if index << level >= len(blocks):
        return None
    if level == 0:
        return blocks[index]
    return add(node(blocks, level - 1, 2 * index), node(blocks, level - 1, 2 * index + 1))


def canonical(blocks: Sequence[Array]) -> Array | None:
    level = 0
    while 1 << level < len(blocks):
        level += 1
    return node(blocks, level, 0) if blocks else None


def maximal_nodes(begin: int, end: int, blocks: int) -> list[tuple[int, int]]:
    """Every node inside [begin, end), without those whose parent is inside, by enumeration."""
    top = 0
    while 1 << top < blocks:
        top += 1
    inside = set()
    for level in range(top + 1):
        for index in range((blocks - 1 >> level) + 1 if blocks else 0):
            first, last = index << level, min(index + 1 << level, blocks)
            if begin <= first and last <= end and first < last:
                inside.add((level, index))
    return sorted(
        (n for n in inside if (n[0] + 1, n[1] // 2) not in inside or n[0] == top),
        key=lambda n: n[1] << n[0],
    )


def blocks_of(member: int, members: int, blocks: int) -> tuple[int, int]:
    return member * blocks // members, (member + 1) * blocks // members
