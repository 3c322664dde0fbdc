"""Roles that share one program: a class is compiled once for its target and stamped for each of its roles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from alpha_build.projector.project.program import RoleProgram


@dataclass(frozen=True)
class RoleClass:
    """`name` is also the generated file's: "leaf-x86_64", the second of its kind "leaf-x86_64-2"."""

    name: str
    program: RoleProgram
    roles: tuple[int, ...]


def group(programs: Iterable[tuple[int, RoleProgram]]) -> tuple[RoleClass, ...]:
    """Classes in the order of their first roles."""
    roles: dict[RoleProgram, list[int]] = {}
    for role, program in programs:
        roles.setdefault(program, []).append(role)
    counts: dict[str, int] = {}
    classes = []
    for program, members in roles.items():
        kind = f"{program.kind}-{program.target}"
        counts[kind] = counts.get(kind, 0) + 1
        name = kind if counts[kind] == 1 else f"{kind}-{counts[kind]}"
        classes.append(RoleClass(name, program, tuple(members)))
    return tuple(classes)
