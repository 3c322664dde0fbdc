"""The generated file of one role: what projection returned, written so that a person can read it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from alpha_build.projector.emit.learner import LearnerSource, emit_learner
from alpha_build.projector.emit.operations import OperationSource, emit_operations, emit_preambles
from alpha_build.projector.emit.steps import ScheduleEmitter
from alpha_build.projector.emit.template import template
from alpha_build.projector.emit.text import Names, bit_pattern, literal, one_line, row
from alpha_build.projector.project.program import Buffer, RoleProgram, WireRegion

_ORDERS = {
    "tree": "own value, then each child's subtotal in child order",
    "canonical": "blocks of the batch, by the tree that the batch alone gives",
}

# Constants that the templates and cpp/role name.
_RESERVED = (
    "kBlockConstants", "kBuffers", "kEvaluationRowBytes", "kGradientOffsets", "kHashPieces", "kLearner",
    "kMetricConstants", "kMetricNames", "kNoSlot", "kNoSlots", "kRegions", "kRole", "kSampleRowBytes",
    "kSchedule", "kShardHeader", "kShardOrder", "kState", "kStopRule", "kUpdateConstants",
)  # fmt: skip
_INCLUDES = ("role/main.h", "role/steps.h")


@dataclass(frozen=True)
class RoleSource:
    """What emission takes: one role's program, the operations that it runs, its learner."""

    program: RoleProgram
    operations: Sequence[OperationSource] = ()
    learner: LearnerSource | None = None


def emit_role(source: RoleSource, version: str) -> str:
    """C++ text of a role; the same text for every role of its class."""
    program, names = source.program, Names(_RESERVED)
    buffers = [names.constant("buffer", buffer.name) for buffer in program.buffers]
    regions = [names.constant(region.name) for region in program.regions]
    operations = emit_operations(source.operations, program.buffers, buffers)
    works = {
        operation.name: emitted.work for operation, emitted in zip(source.operations, operations, strict=True)
    }
    schedule = ScheduleEmitter(program, regions, works, names).emit()
    by_name = {buffer.name: name for name, buffer in zip(buffers, program.buffers, strict=True)}
    learner = emit_learner(source.learner, names, by_name) if source.learner else None
    return template("role.cpp.j2", __file__).render(
        includes=sorted({*_INCLUDES, *_extra_includes(source)}),
        contribution=by_name.get("gradient"),
        metrics=by_name.get("metrics", "0xffff"),
        program=program,
        source=one_line(program.source),
        system=one_line(program.system),
        order=_order(program, [name for name, _ in schedule.counts]),
        version=literal(version),
        buffers=list(zip(buffers, map(_buffer_row, program.buffers), strict=True)),
        regions=[
            (name, _region_row(region, buffers[region.buffer]))
            for name, region in zip(regions, program.regions, strict=True)
        ],
        schedule=schedule,
        operations=operations,
        preambles=emit_preambles(source.operations),
        learner=learner,
        literal=literal,
    )


def _order(program: RoleProgram, operations: Sequence[str]) -> str:
    if "combine_prefix" in operations:
        return "role 0, 1, 2, ...: a running sum through the tree"
    over_mesh = f", in the tree of fan-out {program.mesh_fanout}" if program.mesh_fanout else ""
    return _ORDERS[program.order] + over_mesh


def _extra_includes(source: RoleSource) -> list[str]:
    operations = ["role/participant.h"] if source.operations else []
    return operations + (["role/bytes.h"] if source.learner else [])


def _buffer_row(buffer: Buffer) -> str:
    pattern = bit_pattern(buffer.element, buffer.initial)
    initial = f"{pattern:#x}" if pattern else "0"
    element = f"Element::{buffer.element}"
    return row(name=literal(buffer.name), element=element, bytes=_bytes(buffer), initial=initial)


def _region_row(region: WireRegion, buffer: str) -> str:
    element = f"Element::{region.element}"
    return row(number=region.number, element=element, bytes=_bytes(region), buffer=buffer, uses=region.uses)


def _bytes(part: Buffer | WireRegion) -> str:
    return f"{'bytes' if part.element == 'bytes' else part.element + '_bytes'}({part.count})"
