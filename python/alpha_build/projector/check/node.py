"""A protocol after its check: forms with their wire numbers, names and bounds, nested sequences made flat."""

from __future__ import annotations

from dataclasses import dataclass

from ...system.forms import Form


@dataclass(frozen=True)
class Wire:
    """One communicating form on the wire: number, region, and the constant's name in generated code."""

    number: int
    region: str
    name: str
    uses: int  # bound of the version: product of the repeats around the form


@dataclass(frozen=True)
class Node:
    """One form; `parts` is a repeat's or every's body, a choice's arm for 1 (`otherwise`: for 0)."""

    form: Form
    path: str
    wires: tuple[Wire, ...] = ()  # one; two for publish
    parts: tuple[Node, ...] = ()
    otherwise: tuple[Node, ...] = ()
    exchange: bool = False  # combine and deliver on a pair where both ends combine
    in_parts: bool = False  # a deliver on a mesh whose region each member holds its own part of

    @property
    def where(self) -> str:
        """File, line and path, for messages."""
        return f"{self.form.place} ({self.path})"

    @property
    def label(self) -> str:
        """File, line and the form's name, for schedules."""
        return f"{self.form.place} {form_name(self.form)}"


def form_name(form: Form) -> str:
    """The form's name as the protocol page spells it."""
    return type(form).__name__.lower()
