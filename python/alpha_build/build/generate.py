"""The first half of a build: a system checked and projected, the sources of its classes emitted."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from alpha_build.build.checked import checked_system
from alpha_build.build.classes import RoleClass, group
from alpha_build.build.sources import lowered_learners, source_texts
from alpha_build.projector.check import Checked
from alpha_build.system.errors import MembershipFailure
from alpha_build.system.load import load_system
from alpha_build.system.system import System

# Stage ("check", "project", "emit", "compile", "stamp"), steps done, steps in all.
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Generated:
    """`texts` by file name; `scratch_bytes` of the learner's programs by target, empty without a learner."""

    checked: Checked
    classes: tuple[RoleClass, ...]
    texts: dict[str, str]
    scratch_bytes: dict[str, int]

    @property
    def kernels(self) -> bool:
        return bool(self.scratch_bytes)

    @property
    def user_files(self) -> frozenset[str]:
        """Names of the files whose lines the texts hold."""
        return frozenset(operation.place.file for operation in self.checked.operations.values())

    @property
    def notices(self) -> tuple[str, ...]:
        learner = self.checked.learner
        return (*(learner.notices if learner else ()), *self.checked.warnings)


def generate(
    system: System,
    spec: str,
    roles: Collection[int] | None,
    program: Path | str | None,
    progress: Progress,
) -> Generated:
    """Sources of all classes; `spec` is where the system was found, `program` a saved learner.

    Raises:
        AlphaError: the system is refused, a role is not a member.
    """
    progress("check", 0, 1)
    checked = checked_system(system, program)
    progress("check", 1, 1)
    wanted = wanted_roles(checked, roles)
    progress("project", 0, 1)
    classes = group(checked, wanted)
    progress("project", 1, 1)
    learners = lowered_learners(checked, classes)
    texts = source_texts(checked, classes, learners, _user_lines(spec), partial(progress, "emit"))
    scratch_bytes = {target: learner.scratch_bytes for target, learner in learners.items()}
    return Generated(checked, classes, texts, scratch_bytes)


def find_system(system: System | str) -> tuple[System, str]:
    """The System, and where it was found: nowhere where it is given as a value."""
    return (load_system(system), system) if isinstance(system, str) else (system, "")


def wanted_roles(checked: Checked, roles: Collection[int] | None) -> Sequence[int]:
    """All members, or those that are asked for, ascending.

    Raises:
        MembershipFailure: a role that is asked for is not a member.
    """
    if roles is None:
        return [checked.group.member(position) for position in range(len(checked.group))]
    for role in roles:
        if role not in checked.group:
            raise MembershipFailure(
                f"role {role} is not a member", kind="participant-out-of-range",
                hint=f"members are in {checked.group.first} to {checked.group.last}",
            )  # fmt: skip
    return sorted(set(roles))


def _user_lines(spec: str) -> dict[str, list[str]]:
    """Lines of the user's file by its name; nothing for a system that is given as a value or a module."""
    path = Path(spec.rpartition(":")[0] if not Path(spec).is_file() else spec)
    if path.suffix != ".py" or not path.is_file():
        return {}
    return {path.name: path.read_text(encoding="utf-8", errors="replace").splitlines()}
