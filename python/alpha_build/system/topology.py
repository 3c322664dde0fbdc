"""Shapes in which members are joined; roles are positions in the membership, the root is its first member."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """Two members and one edge."""


@dataclass(frozen=True)
class Star:
    """Every other member joined to the first."""


@dataclass(frozen=True)
class Tree:
    """Preorder tree in which a member has at most `fanout` children (see `ParticipantTree`)."""

    fanout: int = 8


@dataclass(frozen=True)
class Mesh:
    """Every pair of members joined."""


Topology = Pair | Star | Tree | Mesh
