"""Generated files: a C++ file a class, one of a learner's programs a target, the CMake project over them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from alpha_build.build.classes import RoleClass
from alpha_build.build.manifest import learner_source
from alpha_build.build.operations import operation_source
from alpha_build.projector.check import Checked
from alpha_build.projector.emit import LearnerSource, RoleSource, emit_programs, emit_role, lower_learner
from alpha_build.projector.emit.template import template
from alpha_build.version import version

CMAKE_FILE = "CMakeLists.txt"


def source_texts(
    checked: Checked,
    classes: Sequence[RoleClass],
    learners: Mapping[str, LearnerSource],
    user_lines: Mapping[str, Sequence[str]],
    on_step: Callable[[int, int], None],
) -> dict[str, str]:
    """Text of every generated file by name; `learners` by target, as `lowered_learners` gives them."""
    texts = {CMAKE_FILE: cmake_text(classes, kernels=bool(learners))}
    for done, each in enumerate(classes, 1):
        operations = [
            operation_source(
                checked.operations[name], user_lines.get(checked.operations[name].place.file, ())
            )
            for name in each.program.operations
        ]
        source = RoleSource(each.program, operations, learners.get(each.program.target))
        texts[f"{each.name}.cpp"] = emit_role(source, version())
        on_step(done, len(classes))
    for target, learner in learners.items():
        texts[learner_source(target)] = emit_programs(learner, target, checked.system.place.file)
    return texts


def lowered_learners(checked: Checked, classes: Sequence[RoleClass]) -> dict[str, LearnerSource]:
    """The learner lowered for each target; programs are called with a slice of a batch, or one block of it.

    Raises:
        UnsupportedPrimitive: the learner uses an operation that has no lowering on a target.
    """
    if checked.learner is None or checked.cuts is None:
        return {}
    full, short, evaluation = checked.cuts
    rows_max = max(full.rows_max, short.rows_max), evaluation.rows_max
    targets = {each.program.target: each.program.rounding for each in classes}
    return {
        target: lower_learner(checked.learner, target, rounding, *rows_max)
        for target, rounding in sorted(targets.items())
    }


def cmake_text(
    classes: Sequence[RoleClass], *, kernels: bool, roles: Sequence[tuple[str, RoleClass]] = ()
) -> str:
    """The CMake project over a build's classes and, by file name, over roles that are linked with stamps."""
    targets = targets_of(classes)
    return template("CMakeLists.txt.j2", __file__).render(
        targets=[(target, [each for each in classes if each.program.target == target]) for target in targets],
        kernels=kernels,
        roles=roles,
    )


def targets_of(classes: Sequence[RoleClass]) -> list[str]:
    return sorted({each.program.target for each in classes}, reverse=True)
