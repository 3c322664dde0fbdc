"""Generated files of small systems; run as a program, this writes the golden ones anew."""

from __future__ import annotations

from pathlib import Path

from alpha_build.build.operations import operation_source
from alpha_build.projector.check import Checked, check
from alpha_build.projector.emit import LearnerSource, RoleSource, emit_programs, emit_role
from alpha_build.projector.emit.learner import LoweredProgram
from alpha_build.projector.project import project
from alpha_build.system.contract import Target
from alpha_build.system.load import load_system
from check.learner_program import learner_program, learner_system

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
GOLDEN = Path(__file__).parent / "golden"
VERSION = "0.0.0"


def example(name: str, role: int) -> str:
    """A role of one of the examples that have a protocol of their own."""
    path = EXAMPLES / name
    checked = check(load_system(str(path)))
    return emit_role(role_source(checked, role, path.read_text().splitlines()), VERSION)


def role_source(checked: Checked, role: int, lines: list[str]) -> RoleSource:
    program, _ = project(checked, role)
    operations = [operation_source(checked.operations[name], lines) for name in program.operations]
    return RoleSource(program, operations)


def learner_source() -> LearnerSource:
    """A hand-made learner whose programs are one empty line: their lowering has tests of its own."""
    programs = [
        LoweredProgram(name, f"{name}_program", _empty(name), rows, 64, constants)
        for name, rows, constants in (("block", 8, (12, 4)), ("update", 0, ()), ("metric", 15, ()))
    ]
    return LearnerSource(learner_program(), tuple(programs), ("learner/numeric.h",))


def learner_role(role: int = 1) -> str:
    system = learner_system(2, pairing={0: Target("aarch64")})
    program, _ = project(check(system, learner_program()), role)
    return emit_role(RoleSource(program, (), learner_source()), VERSION)


def _empty(name: str) -> str:
    return f"void {name}_program(u64, const void* const*, void* const*, void*) {{}}"


def golden_texts() -> dict[str, str]:
    return {
        "relay_root.cpp": example("relay.py", 0),
        "relay_leaf.cpp": example("relay.py", 1),
        "star_leaf.cpp": example("star.py", 2),
        "learner_leaf.cpp": learner_role(),
        "learner_programs.cpp": emit_programs(learner_source(), "x86_64", "learner_program.py"),
    }


if __name__ == "__main__":
    for file, text in golden_texts().items():
        (GOLDEN / file).write_text(text)
