"""Projection of a checked system to one role, at a cost that does not know how many others there are."""

from __future__ import annotations

from typing import Literal

from ..check import Checked
from ..check.contract import mesh_fanout
from .closes import with_closes
from .program import RoleProgram, RoleRows
from .ranges import share_rows
from .schedule import Projector
from .tables import Tables
from .view import View, view_of


def project(checked: Checked, role: int) -> tuple[RoleProgram, RoleRows]:
    """A role's program, equal for all roles of its class, and its own rows.

    Raises `MembershipFailure` when the role is no member.
    """
    view = view_of(checked, role)
    tables = Tables(checked)
    projector = Projector(checked, view, tables)
    outermost = [projector.steps((node,)) for node in checked.nodes]
    place = checked.system.place
    schedule = with_closes(outermost, len(view.edges), str(place))
    contract = checked.system.contract
    order: Literal["tree", "canonical"] = "canonical" if contract.order == "canonical" else "tree"
    meshed = checked.shape.tree is None and order == "tree"
    program = RoleProgram(
        system=checked.system.name,
        source=place.file,
        kind=view.kind,
        target=checked.target(role).isa,
        edges=view.edges,
        frame_bytes=int(checked.system.frame_bytes),
        buffers=tuple(tables.buffers),
        regions=tuple(tables.regions),
        schedule=schedule,
        order=order,
        normalization=contract.normalization,
        rounding=contract.rounding,
        refuse_nonfinite=contract.nonfinite == "refuse",
        operations=tuple(projector.operations),
        mesh_fanout=mesh_fanout(contract, len(checked.group)) if meshed else 0,
    )
    return program, _rows(checked, view)


def project_rows(checked: Checked, role: int) -> RoleRows:
    """A role's rows alone: what differs within its class."""
    return _rows(checked, view_of(checked, role))


def _rows(checked: Checked, view: View) -> RoleRows:
    return RoleRows(view.role, len(checked.group), view.rows, share_rows(checked, view))
