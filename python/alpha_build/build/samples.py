"""A learner's data as one role embeds it: the rows of its slice of every batch, batch after batch."""

from __future__ import annotations

import math

import numpy as np

from alpha_build.build.stamp import LearnerStamp, Range
from alpha_build.learner.program import LearnerProgram


def batch_count(learner: LearnerProgram) -> int:
    """Batches in one pass over the samples; the last may be a short one."""
    return -(-len(learner.samples[0]) // learner.batch)


def denominators(learner: LearnerProgram) -> tuple[float, ...]:
    """What each batch's mean divides by: its samples, or the exactly rounded sum of their weights."""
    total, size = len(learner.samples[0]), learner.batch
    starts = range(0, total, size)
    if not learner.weighted:
        return tuple(float(min(size, total - start)) for start in starts)
    weights = learner.samples[-1]
    return tuple(math.fsum(weights[start : start + size].tolist()) for start in starts)


def embedded_batches(learner: LearnerProgram) -> int:
    """Batches that any round uses: all of a pass, or the first when there are fewer rounds."""
    return min(batch_count(learner), learner.rounds)


def learner_stamp(
    learner: LearnerProgram, state_identity: bytes, full: Range, short: Range, evaluation: Range
) -> LearnerStamp:
    """State, constants and this role's rows: its slices of full, short and evaluation batches."""
    programs = [learner.block, learner.update, *([learner.metric] if learner.metric else [])]
    constants = [constant for program in programs for constant in program.constants]
    return LearnerStamp(
        state_identity=state_identity,
        initial_state=tuple(_bytes(leaf.array) for leaf in learner.state),
        constants=tuple(map(_bytes, constants)),
        samples=tuple(_rows(array, learner, full, short) for array in learner.samples),
        evaluation=tuple(
            _bytes(array[evaluation[0] : evaluation[1]]) for array in learner.evaluation_samples
        ),
    )


def _rows(array: np.ndarray, learner: LearnerProgram, full: Range, short: Range) -> bytes:
    size = learner.batch
    rows = []
    for batch in range(embedded_batches(learner)):
        start = batch * size
        begin, end = full if start + size <= len(array) else short
        rows.append(_bytes(array[start + begin : start + end]))
    return b"".join(rows)


def _bytes(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
