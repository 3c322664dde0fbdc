"""Who takes part: `members=` as a group, and the topology laid over it."""

from __future__ import annotations

from typing import Any

from ...system.errors import AlphaError, MembershipFailure, ProtocolFailure
from ...system.limits import EDGE_COUNT_MAX, ROLE_MAX
from ...system.membership import ParticipantGroup
from ...system.place import Place
from ...system.system import System
from ...system.topology import Mesh, Pair, Star, Tree
from .numbers import whole
from .shape import Shape, shape_of


def resolve_group(members: Any, place: Place, found: list[AlphaError]) -> ParticipantGroup | None:
    """`members=n` means universe n, epoch 0, empty identity and every role."""
    if isinstance(members, ParticipantGroup):
        return members
    count = whole(members)
    if count is None or not 1 <= count <= ROLE_MAX:
        found.append(
            MembershipFailure(
                f"members={members!r} is not a number of participants",
                kind="members",
                where=f"{place} system",
                hint="give a whole number from 1 up, or a ParticipantGroup",
            )
        )
        return None
    return ParticipantGroup(universe=count, place=place)


def resolve_shape(system: System, group: ParticipantGroup, found: list[AlphaError]) -> Shape | None:
    """The topology over the group's positions, when it fits."""
    failure = _unfit(system.topology, len(group), f"{system.place} system")
    if failure is not None:
        found.append(failure)
        return None
    shape = shape_of(system.topology, len(group))
    if shape.edge_count_max > EDGE_COUNT_MAX:
        found.append(
            ProtocolFailure(
                f"a role has {shape.edge_count_max} edges, more than {EDGE_COUNT_MAX}",
                kind="too-many-edges",
                where=f"{system.place} system",
                hint=f"use topology=Tree(fanout=F) with F under {EDGE_COUNT_MAX}",
            )
        )
    return shape


def _unfit(topology: Any, count: int, where: str) -> MembershipFailure | None:
    if not isinstance(topology, Pair | Star | Tree | Mesh):
        return MembershipFailure(
            f"topology={topology!r} is not a topology",
            kind="topology",
            where=where,
            hint="use Pair(), Star(), Tree(fanout=F) or Mesh()",
        )
    if isinstance(topology, Pair) and count != 2:
        return MembershipFailure(
            f"a pair joins two members, not {count}",
            kind="pair-members",
            where=where,
            hint="use Star() or Tree(fanout=F)",
        )
    if isinstance(topology, Tree) and (whole(topology.fanout) or 0) < 1:
        return MembershipFailure(
            f"fanout={topology.fanout!r} is not a number of children",
            kind="fanout",
            where=where,
            hint="give a whole number from 1 up",
        )
    return None
