"""A learner's data as one role embeds it: the rows of its slice of every batch, batch after batch."""

from __future__ import annotations

import math

import numpy as np

from alpha_build.build.sample_file import sample_file
from alpha_build.build.stamp import LearnerStamp, Range
from alpha_build.learner.program import LearnerProgram
from alpha_build.system.limits import SAMPLES_EMBEDDED_BYTES


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
    learner: LearnerProgram, state_identity: bytes, file: str, full: Range, short: Range, evaluation: Range
) -> LearnerStamp:
    """State, constants and this role's rows: its slices of full, short and evaluation batches.

    `file` is the name of what lies beside the executable, where something does.
    """
    programs = [learner.block, learner.update, *([learner.metric] if learner.metric else [])]
    constants = [constant for program in programs for constant in program.constants]
    samples = [_rows(array, learner, full, short) for array in learner.samples]
    evaluated = [array[evaluation[0] : evaluation[1]] for array in learner.evaluation_samples]
    embeds = [_embeds(*each) for each in zip(learner.embed, (samples, evaluated), strict=True)]
    beside = sample_file(
        file, *(None if embed else each for embed, each in zip(embeds, (samples, evaluated), strict=True))
    )
    in_file = beside is not None
    return LearnerStamp(
        state_identity=state_identity,
        initial_state=tuple(_bytes(leaf.array) for leaf in learner.state),
        constants=tuple(map(_bytes, constants)),
        samples=() if in_file and not embeds[0] else tuple(map(_bytes, samples)),
        evaluation=() if in_file and not embeds[1] else tuple(map(_bytes, evaluated)),
        file=beside,
    )


def _embeds(asked: bool | None, arrays: list[np.ndarray]) -> bool:
    """As the user says, else by size."""
    return sum(array.nbytes for array in arrays) <= SAMPLES_EMBEDDED_BYTES if asked is None else asked


def _rows(array: np.ndarray, learner: LearnerProgram, full: Range, short: Range) -> np.ndarray:
    size = learner.batch
    rows = []
    for batch in range(embedded_batches(learner)):
        start = batch * size
        begin, end = full if start + size <= len(array) else short
        rows.append(array[start + begin : start + end])
    return np.concatenate(rows)


def _bytes(array: np.ndarray) -> bytes:
    return np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
