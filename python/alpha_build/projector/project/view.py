"""The topology as one role sees it: its parent, its children, and the slot of each peer."""

from __future__ import annotations

from dataclasses import dataclass

from ...system.tree import Span
from ..check import Checked
from .program import Edge, EdgeRows


@dataclass(frozen=True)
class View:
    """Slots are positions among this role's peers, ascending; on a tree the parent's comes first."""

    role: int
    position: int
    parent: int | None  # slot
    children: tuple[int, ...]  # slots
    child_subtrees: tuple[Span, ...]
    neighbours: tuple[int, ...]  # positions, by slot
    edges: tuple[Edge, ...]
    rows: tuple[EdgeRows, ...]
    kind: str

    def slot(self, position: int) -> int:
        """Slot of a neighbour."""
        return self.neighbours.index(position)


def view_of(checked: Checked, role: int) -> View:
    """One role's part of the topology, at a cost of depth x fan-out."""
    position = checked.group.rank(role)
    shape = checked.shape
    neighbours = shape.neighbours(position)
    rows = tuple(_row(checked, position, peer) for peer in neighbours)
    if shape.tree is None:
        edges = tuple(Edge(f"peer[{slot}]") for slot in range(len(neighbours)))
        return View(role, position, None, (), (), neighbours, edges, rows, "peer")
    subtrees = shape.child_subtrees(position)
    first = 0 if position == 0 else 1
    children = tuple(range(first, first + len(subtrees)))
    edges = (Edge("parent"),) * first + tuple(Edge(f"child[{i}]") for i in range(len(subtrees)))
    kind = "root" if position == 0 else "inner" if subtrees else "leaf"
    parent = None if position == 0 else 0
    return View(role, position, parent, children, subtrees, neighbours, edges, rows, kind)


def _row(checked: Checked, position: int, peer: int) -> EdgeRows:
    return EdgeRows(checked.group.member(peer), "lower" if position < peer else "higher")
