"""A topology laid over a membership: who is joined to whom, by position, along one path."""

from __future__ import annotations

from dataclasses import dataclass

from ...system.topology import Mesh, Pair, Star, Topology, Tree
from ...system.tree import ParticipantTree, Span


@dataclass(frozen=True)
class Shape:
    """`tree` is None on a mesh, where every two positions are joined."""

    topology: Topology
    count: int
    tree: ParticipantTree | None

    @property
    def is_pair(self) -> bool:
        """Whether both ends combine what crosses the one edge."""
        return isinstance(self.topology, Pair)

    @property
    def edge_count_max(self) -> int:
        """Most edges of any position: the root's, or its first and largest child's."""
        if self.tree is None:
            return self.count - 1
        root = self.tree.child_subtrees(0)
        below = min(self.tree.fanout, root[0].count - 1) + 1 if root else 0
        return max(len(root), below)

    def joined(self, one: int, other: int) -> bool:
        """Whether two different positions share an edge."""
        return self.tree is None or self.tree.parent(max(one, other)) == min(one, other)

    def parent(self, position: int) -> int | None:
        """The tree's parent; None at the root and on a mesh."""
        return None if self.tree is None else self.tree.parent(position)

    def child_subtrees(self, position: int) -> tuple[Span, ...]:
        """The tree's children as subtrees; none on a mesh."""
        return () if self.tree is None else self.tree.child_subtrees(position)

    def place(self, position: int) -> tuple[str, int]:
        """ "root", "inner", "leaf" or, on a mesh, "peer"; and the number of children."""
        if self.tree is None:
            return "peer", 0
        children = self.tree.child_count(position)
        return "root" if position == 0 else "inner" if children else "leaf", children

    def neighbours(self, position: int) -> tuple[int, ...]:
        """Peers in ascending order."""
        if self.tree is None:
            return tuple(peer for peer in range(self.count) if peer != position)
        parent = self.tree.parent(position)
        return (() if parent is None else (parent,)) + self.tree.children(position)

    def toward(self, position: int, target: int) -> int:
        """The neighbour through which another position is reached."""
        if self.tree is None:
            return target
        for child in self.tree.child_subtrees(position):
            if child.begin <= target < child.end:
                return child.begin
        parent = self.tree.parent(position)
        assert parent is not None, "the target lies in the root's tree"
        return parent


def shape_of(topology: Topology, count: int) -> Shape:
    """Star is a tree of fan-out n-1 and a pair is a tree of two: one edge mechanism."""
    match topology:
        case Mesh():
            return Shape(topology, count, None)
        case Tree(fanout):
            return Shape(topology, count, ParticipantTree(count, fanout))
        case Star() | Pair():
            return Shape(topology, count, ParticipantTree(count, max(count - 1, 1)))
