"""Bound of a role's memory, from the numbers that its executable is compiled and stamped with.

The arena's parts are those of cpp/role (Participant::layout, layout_canonical, prepare_learner), rounded up.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from alpha_build.build.stamp import EdgeStamp
from alpha_build.learner.program import LearnerProgram
from alpha_build.projector.project.program import (
    ChooseStep,
    CombinePartsStep,
    CombinePrefixStep,
    CombineStep,
    EveryStep,
    ExchangeStep,
    RepeatStep,
    RoleProgram,
    RoleRows,
    ShareRows,
    Step,
)
from alpha_build.system.limits import RING_BYTES, STAGED_FRAMES_MAX

STACK_BYTES = 256 << 10  # more than the runtime's deepest calls use
FIXED_BYTES = 4 << 10  # one of each struct that a participant has
EDGE_BYTES = 3 << 10  # link, transfers, child manifest
LEAF_BYTES = 256  # pointers, records
ALIGNMENT_BYTES = 64
RING_HEAD_BYTES = 4 << 10  # counts of a shared edge

_ELEMENT_BYTES = {"bytes": 1, "bf16": 2, "f16": 2, "f32": 4, "i32": 4, "f64": 8, "i64": 8, "word": 8}


def memory_bytes(
    program: RoleProgram,
    learner: LearnerProgram | None,
    rows: RoleRows,
    scratch_bytes: int,
    loaded_bytes: int,
    file_bytes: int,
) -> int:
    """Bytes that a role maps: its segments and stamp (`loaded_bytes`), its arena, its stack.

    `file_bytes` of samples beside the executable are read into the arena.
    """
    buffers = sum(_padded(buffer.count * _ELEMENT_BYTES[buffer.element]) for buffer in program.buffers)
    steps = list(_steps(program.schedule))
    arena = FIXED_BYTES + buffers + len(program.edges) * EDGE_BYTES + _tables(program)
    if program.order == "canonical":
        arena += _canonical(program, rows, steps)
    else:
        exchanged = {step.region for step in steps if isinstance(step, ExchangeStep)}
        arena += sum(_padded(_region_bytes(program, region)) for region in exchanged)
        parts = [_region_bytes(program, step.region) for step in steps if isinstance(step, CombinePartsStep)]
        arena += max(map(_padded, parts), default=0) + len(program.edges) * ALIGNMENT_BYTES
        if any(_takes_frames(step) for step in steps):
            arena += min(len(program.edges), STAGED_FRAMES_MAX) * program.frame_bytes
    if learner is not None:
        arena += 2 * sum(_padded(leaf.array.nbytes) + LEAF_BYTES for leaf in learner.state)
        arena += _padded(scratch_bytes) + _padded(file_bytes) + 16 * _pointers(learner)
    return loaded_bytes + arena + STACK_BYTES


def shared_bytes(edges: Sequence[EdgeStamp]) -> int:
    """What edges through shared memory map besides: a ring for each direction, and its counts."""
    return sum(edge.shared for edge in edges) * (RING_HEAD_BYTES + 2 * RING_BYTES)


def _tables(program: RoleProgram) -> int:
    """Versions, pointers to buffers, and a digest for each frame of the largest region."""
    largest = max((_region_bytes(program, index) for index in range(len(program.regions))), default=0)
    frames = max(1, -(-largest // program.frame_bytes))
    return _padded(32 * frames) + ALIGNMENT_BYTES * (4 + len(program.regions) + 2 * len(program.buffers))


def _takes_frames(step: Step) -> bool:
    """Whether what arrives on a tree is added or moved a frame at a time."""
    return isinstance(step, CombinePrefixStep) or (isinstance(step, CombineStep) and bool(step.children))


def _canonical(program: RoleProgram, rows: RoleRows, steps: Iterable[Step]) -> int:
    """Own blocks and nodes, each edge's list, what leaves, and the tables of nodes, for the largest round."""
    most = 0
    for step in steps:
        if isinstance(step, CombineStep | ExchangeStep | CombinePartsStep):
            size = _padded(_region_bytes(program, step.region))
            parts = len(rows.edges) + 1 if isinstance(step, CombinePartsStep) else 1
            sizes = (_canonical_values(share, -(-size // parts), size) for share in rows.shares)
            most = max(most, *sizes)
    return most + len(rows.edges) * ALIGNMENT_BYTES


def _canonical_values(share: ShareRows, arriving_bytes: int, size: int) -> int:
    """Bytes of values that a role holds at once in one round: of K blocks' range at most 2 log2 K nodes."""
    if share.block_count == 0:
        return 0
    levels = 2 * share.block_count.bit_length()

    def nodes(*ranges: tuple[int, int]) -> int:
        return sum(min(end - begin, levels) + 1 for begin, end in ranges)

    # What it has and what leaves; what arrives; on a pair the peer's, of any range.
    own = nodes(share.blocks, share.blocks, (0, share.block_count))
    return own * size + nodes(*share.edges, *share.edges) * (arriving_bytes + ALIGNMENT_BYTES)


def _steps(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield step
        match step:
            case RepeatStep(body=body) | EveryStep(body=body):
                yield from _steps(body)
            case ChooseStep(then=then, otherwise=otherwise):
                yield from _steps((*then, *otherwise))


def _region_bytes(program: RoleProgram, index: int) -> int:
    region = program.regions[index]
    return region.count * _ELEMENT_BYTES[region.element]


def _pointers(learner: LearnerProgram) -> int:
    """Arguments of a program, at most."""
    programs = (learner.block, learner.update, learner.metric)
    return sum(len(program.values) + len(program.outputs) for program in programs if program is not None)


def _padded(size: int) -> int:
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
