"""Element-wise loops that become one: how many there are, and the bits of each operation on its own."""

from __future__ import annotations

from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from alpha_build.learner.lower import lower
from learner.programs import Case, case, run

_RNG = np.random.default_rng(17)
X, Y = (_RNG.normal(size=(5, 6)).astype(np.float32) for _ in range(2))


def _moments(x: jnp.ndarray, y: jnp.ndarray) -> tuple[jnp.ndarray, ...]:
    first = 0.9 * x + 0.1 * y
    second = 0.99 * x + 0.01 * (y * y)
    return first, second, x - first / (jnp.sqrt(jnp.abs(second)) + 1)


def _turned(x: jnp.ndarray) -> tuple[jnp.ndarray, jnp.ndarray]:
    double = x * 2
    return double, double + lax.rev(double, (0,))


def _behind(x: jnp.ndarray, y: jnp.ndarray) -> tuple[jnp.ndarray, jnp.ndarray, jnp.ndarray]:
    double = x * 2
    return double, y + 1, x + lax.cumsum(y + 1)


CASES = {
    "moments": case(_moments, X, Y),
    "turned": case(_turned, X),
    "behind": case(_behind, X, Y),
    "hidden": case(lambda x, y: jnp.where(x + y > 0, x + y, y * 3) * x, X, Y),
}


def _source(each: Case) -> str:
    return lower(each.program, "f", target="x86_64", rounding="separate").source


def _loops(each: Case) -> int:
    return _source(each).count("ALPHA_APART")


def test_several_results_come_from_one_loop() -> None:
    assert _loops(CASES["moments"]) == 1
    assert _source(CASES["moments"]).count("canonical(") == 3


def test_what_only_the_loop_itself_reads_is_not_written() -> None:
    assert _loops(CASES["hidden"]) == 1
    assert _source(CASES["hidden"]).count("] = ") == 1


def test_another_index_keeps_loops_apart() -> None:
    assert _loops(CASES["turned"]) == 2


@pytest.mark.native
def test_bits_of_one_operation_after_another(tmp_path: Path) -> None:
    for name, results in run(CASES, tmp_path).items():
        for ours, theirs in zip(results, CASES[name].expected, strict=True):
            assert ours.tobytes() == theirs.tobytes(), name
