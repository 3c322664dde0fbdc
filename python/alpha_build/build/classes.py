"""Roles that share one program: a class is compiled once for its target and stamped for each of its roles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from alpha_build.projector.check import Checked
from alpha_build.projector.project import Classes, project
from alpha_build.projector.project.program import RoleProgram


@dataclass(frozen=True)
class RoleClass:
    """`name` is also the generated file's."""

    name: str
    program: RoleProgram
    roles: tuple[int, ...]


def group(checked: Checked, roles: Iterable[int]) -> tuple[RoleClass, ...]:
    """Classes in the order of their first roles; only those are projected."""
    classes, members = Classes(checked), dict[str, list[int]]()
    for role in roles:
        members.setdefault(classes.name(role), []).append(role)
    return tuple(
        RoleClass(name, project(checked, first)[0], (first, *others))
        for name, (first, *others) in members.items()
    )
