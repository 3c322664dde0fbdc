"""Entry to tracing: turns the user's Learner into a JAX-free LearnerProgram.  JAX is imported by the call."""

from __future__ import annotations

from typing import Any

from ..system.errors import LearnerFailure
from .program import LearnerProgram


def trace_learner(learner: Any, element: str | None = None) -> LearnerProgram:
    """Trace loss, update and metric of an `ab.Learner` (or anything with its fields).

    `element` is the contract's: "f32" (default) or "f64" (needs jax_enable_x64), the one type in which the
    loss and the gradients travel; of "bf16" and "f16", what each contribution is rounded to before it travels
    as f32.

    Raises:
        LearnerFailure: the loss, state, optimiser, samples or evaluation cannot be used.
        UnsupportedPrimitive: a function uses an operation that no lowering row knows.
        ContractFailure: the contract's element is not one a learner can travel in.
    """
    try:
        from .trace_learner import trace
    except ImportError as missing:
        raise LearnerFailure(
            f"a Learner is traced with JAX and optax, and Python cannot import {missing.name}",
            kind="no-jax",
            hint="pip install 'alpha-build[jax]', or build from a saved program with --program FILE",
        ) from missing
    return trace(learner, element or "f32")
