"""The generated file of one role: what projection returned, written so that a person can read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from alpha_build.projector.emit.learner import LearnerSource, emit_learner
from alpha_build.projector.emit.operations import OperationSource, emit_operations, emit_preambles
from alpha_build.projector.emit.steps import ScheduleEmitter
from alpha_build.projector.emit.text import Names, bit_pattern, literal, one_line
from alpha_build.projector.project.program import Buffer, RoleProgram, WireRegion

_ORDERS = {
    "tree": "own value, then each child's subtotal in child order",
    "canonical": "blocks of the batch, by the tree that the batch alone gives",
}


@dataclass(frozen=True)
class RoleSource:
    """What emission takes: one role's program, the operations that it runs, its learner."""

    program: RoleProgram
    operations: Sequence[OperationSource] = ()
    learner: LearnerSource | None = None


def emit_role(source: RoleSource, version: str) -> str:
    """C++ text of a role; the same text for every role of its class.

    Raises:
        UnsupportedPrimitive: the learner uses an operation that has no lowering on this target.
    """
    program, names = source.program, Names()
    buffers = [names.constant("buffer", buffer.name) for buffer in program.buffers]
    regions = [names.constant(region.name) for region in program.regions]
    operations = emit_operations(source.operations, program.buffers, buffers)
    works = {
        operation.name: emitted.work for operation, emitted in zip(source.operations, operations, strict=True)
    }
    schedule = ScheduleEmitter(program, regions, works, names).emit()
    learner = emit_learner(source.learner, program, names) if source.learner else None
    return _template().render(
        program=program,
        source=one_line(program.source),
        system=one_line(program.system),
        order=_ORDERS[program.order],
        version=literal(version),
        buffers=list(zip(buffers, program.buffers, map(_initial, program.buffers), strict=True)),
        regions=list(zip(regions, program.regions, strict=True)),
        region_buffer=lambda region: buffers[region.buffer],
        bytes=_bytes,
        schedule=schedule,
        operations=operations,
        preambles=emit_preambles(source.operations),
        learner=learner,
        literal=literal,
    )


def _template() -> Template:
    folder = Path(__file__).parent / "templates"
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    return environment.get_template("role.cpp.j2")


def _initial(buffer: Buffer) -> str:
    pattern = bit_pattern(buffer.element, buffer.initial)
    return f"{pattern:#x}" if pattern else "0"


def _bytes(part: Buffer | WireRegion) -> str:
    return f"{'bytes' if part.element == 'bytes' else part.element + '_bytes'}({part.count})"
