"""Generated files of a build: one C++ file a class and the CMake project over them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from alpha_build.build.classes import RoleClass
from alpha_build.build.operations import operation_source
from alpha_build.projector.check import Checked
from alpha_build.projector.emit import LearnerSource, RoleSource, emit_role
from alpha_build.projector.project.program import RoleRows
from alpha_build.version import version

CMAKE_FILE = "CMakeLists.txt"


def source_texts(
    checked: Checked,
    classes: Sequence[RoleClass],
    rows: Mapping[int, RoleRows],
    user_lines: Mapping[str, Sequence[str]],
    on_step: Callable[[int, int], None],
) -> dict[str, str]:
    """Text of every generated file by name.

    Raises:
        UnsupportedPrimitive: the learner uses an operation that has no lowering on a class's target.
    """
    learner = _learner_source(checked, rows.values())
    texts = {CMAKE_FILE: _cmake_text(classes, kernels=learner is not None)}
    for done, each in enumerate(classes, 1):
        operations = [
            operation_source(
                checked.operations[name], user_lines.get(checked.operations[name].place.file, ())
            )
            for name in each.program.operations
        ]
        texts[f"{each.name}.cpp"] = emit_role(RoleSource(each.program, operations, learner), version())
        on_step(done, len(classes))
    return texts


def _learner_source(checked: Checked, rows: Iterable[RoleRows]) -> LearnerSource | None:
    """Programs are called with a whole slice, or under canonical with one block."""
    if checked.learner is None or checked.cuts is None:
        return None
    block, evaluation = checked.cuts[0], checked.cuts[2]
    largest = [0, 0]
    for role in rows:
        for kind, share in enumerate(role.shares):
            size = share.samples[1] - share.samples[0]
            largest[kind // 2] = max(largest[kind // 2], size)
    return LearnerSource(
        checked.learner,
        min(largest[0], block.block or largest[0]),
        min(largest[1], evaluation.block or largest[1]),
    )


def _cmake_text(classes: Sequence[RoleClass], kernels: bool) -> str:
    targets = sorted({each.program.target for each in classes}, reverse=True)
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.get_template("CMakeLists.txt.j2").render(
        targets=[(target, [each for each in classes if each.program.target == target]) for target in targets],
        kernels=kernels,
    )
