"""The emitted source of one small program, word for word, and the scratch that it plans."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

from alpha_build.learner.lower import lower
from alpha_build.learner.lower.writer import CPP_TYPES, literal
from alpha_build.learner.trace import trace_learner
from learner.learners import LEARNERS, learner
from learner.programs import case

GOLDEN = Path(__file__).with_name("golden") / "linear.cpp"


def test_linear_regression_reads_as_agreed() -> None:
    traced = trace_learner(learner())
    text = "\n".join(
        lower(program, name, target="x86_64", rounding="fused").source
        for name, program in (("block", traced.block), ("update", traced.update))
    )
    assert text == GOLDEN.read_text()


def test_source_depends_on_rounding_only_in_contractions() -> None:
    block = trace_learner(LEARNERS["tanh_adamw"]).block
    fused, separate = (lower(block, "f", target="aarch64", rounding=r).source for r in ("fused", "separate"))
    assert fused != separate
    assert fused.replace("<true>", "<false>") == separate


def test_scratch_grows_with_rows_and_is_reused() -> None:
    block = trace_learner(LEARNERS["labels_adam"]).block
    lowered = lower(block, "f", target="x86_64", rounding="fused")
    sizes = [lowered.scratch_bytes(rows) for rows in (1, 64, 65, 1000)]
    assert sizes == sorted(sizes)
    assert all(size % 64 == 0 for size in sizes)
    chain = case(
        lambda x: jnp.cumsum(jnp.cumsum(jnp.cumsum(jnp.cumsum(x)))), np.zeros(1024, np.float32)
    ).program
    assert lower(chain, "f", target="x86_64", rounding="fused").scratch_bytes(1) == 2 * 4096


def test_no_equation_is_dead() -> None:
    for each in LEARNERS.values():
        traced = trace_learner(each)
        for program in filter(None, (traced.block, traced.update, traced.metric)):
            read = {operand for equation in program.equations for operand in equation.inputs} | set(
                program.outputs
            )
            assert all(read.intersection(equation.outputs) for equation in program.equations)


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_a_literal_has_the_type_of_its_dtype(dtype: str) -> None:
    """Templates deduce it: a plain 3 would be an int to them."""
    text = literal(dtype, np.array(3, dtype).tobytes())
    assert text == f"static_cast<{CPP_TYPES[dtype]}>(3)"
