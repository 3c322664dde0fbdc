"""A learner as tracing would give it, made by hand: checks and projection need its extents and its digest."""

from __future__ import annotations

from typing import Any

import numpy as np

import alpha_build as ab
from alpha_build.learner.program import LearnerProgram, Program, StateLeaf, StopRule

_EMPTY = Program((), (), (), (), ())


def learner_program(
    *,
    samples: int = 100,
    batch: int = 32,
    rounds: int = 10,
    every: int = 3,
    evaluated: int = 30,
    element: str = "f32",
    digest: bytes = b"\x11" * 32,
    stop: StopRule | None = None,
) -> LearnerProgram:
    """Parameters of 3x2 and 2 elements and one optimiser count; `every=0`: no evaluation."""
    return LearnerProgram(
        block=_EMPTY,
        update=_EMPTY,
        metric=_EMPTY if every else None,
        metric_names=("accuracy",) if every else (),
        state=(
            StateLeaf("params/b", np.zeros(2, np.float32)),
            StateLeaf("params/w", np.zeros((3, 2), np.float32)),
            StateLeaf("optimizer/0/count", np.zeros((), np.int32)),
        ),
        parameters=2,
        element=element,
        samples=(np.zeros((samples, 3), np.float32), np.zeros(samples, np.int32)),
        weighted=False,
        evaluation_samples=(np.zeros((evaluated, 3), np.float32),) if every else (),
        batch=batch,
        rounds=rounds,
        every=every,
        digest=digest,
        stop=stop,
    )


def learner_system(members: Any = 4, *, shares: Any = None, rounds: int = 10, **fields: Any) -> ab.System:
    """A system around it; the learner's own fields are not traced here."""
    learner = ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=rounds, shares=shares)
    return ab.System(name="learned", members=members, learner=learner, **fields)
