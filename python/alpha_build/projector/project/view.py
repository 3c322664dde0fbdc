"""The topology as one role sees it: its parent, its children, and the slot of each peer."""

from __future__ import annotations

from dataclasses import dataclass

from ...system.tree import Span, children_of
from ..check import Checked
from .program import Edge, EdgeRows


@dataclass(frozen=True)
class View:
    """Slots are positions among this role's peers, ascending; on a tree the parent's comes first."""

    role: int
    position: int
    subtree: Span  # on a mesh the role alone
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
    if shape.tree is None:
        neighbours = shape.neighbours(position)
        rows = tuple(_row(checked, position, peer) for peer in neighbours)
        edges = tuple(Edge(f"peer[{slot}]") for slot in range(len(neighbours)))
        alone = Span(position, position + 1)
        return View(role, position, alone, None, (), (), neighbours, edges, rows, "peer")
    above, subtree = shape.tree.locate(position)
    subtrees = children_of(subtree, shape.tree.fanout)
    neighbours = (() if above is None else (above,)) + tuple(span.begin for span in subtrees)
    rows = tuple(_row(checked, position, peer) for peer in neighbours)
    parent = None if above is None else 0
    first = 0 if above is None else 1
    children = tuple(range(first, first + len(subtrees)))
    edges = (Edge("parent"),) * first + tuple(Edge(f"child[{i}]") for i in range(len(subtrees)))
    kind = "root" if above is None else "inner" if subtrees else "leaf"
    return View(role, position, subtree, parent, children, subtrees, neighbours, edges, rows, kind)


def _row(checked: Checked, position: int, peer: int) -> EdgeRows:
    return EdgeRows(checked.group.member(peer), "lower" if position < peer else "higher")
