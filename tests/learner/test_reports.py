"""What people reported of other exporters, each as a try on ours: loops, indices outside, log(0)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from learner.programs import Case, case, run, run_elsewhere

pytestmark = pytest.mark.native

W = np.arange(12, dtype=np.float32).reshape(4, 3)
OUTSIDE = np.array([0, 7, -1, -9])
LOGS = np.asarray(jax.nn.log_softmax(jnp.array([0.5, 1, 2, -1], jnp.float32)))
TARGETS = np.array([0, 0.4, 0.6, 0], np.float32)


def grown(x: Any) -> Any:
    return x + 0.1 * x**2


def by_while(x: Any) -> Any:
    return jax.lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, grown(c[1])), (0, x))[1]


def by_fori(x: Any) -> Any:
    return jax.lax.fori_loop(0, 5, lambda _, v: grown(v), x)


def by_scan(x: Any) -> Any:
    return jax.lax.scan(lambda v, _: (grown(v), None), x, None, length=5)[0]


def sum_of_rows(w: Any) -> Any:
    return w[OUTSIDE].sum()


def divergence(logs: Any, targets: Any) -> Any:
    return optax.losses.kl_divergence(logs, targets)


ONE = np.float32(1)
CASES: dict[str, Case] = {
    **{f.__name__: case(f, ONE) for f in (by_while, by_fori, by_scan)},
    **{f"gradient_{f.__name__}": case(jax.grad(f), ONE) for f in (by_fori, by_scan)},
    "rows": case(lambda w: w[OUTSIDE], W),
    "gradient_of_rows": case(jax.grad(sum_of_rows), W),
    "take": case(lambda w: jnp.take(w, 7, axis=0), W),
    "put": case(lambda w: w.at[OUTSIDE].set(-1), W),
    "divergence": case(divergence, LOGS, TARGETS),
    "gradient_of_logs": case(jax.grad(divergence), LOGS, TARGETS),
    "gradient_of_targets": case(jax.grad(divergence, 1), LOGS, TARGETS),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    return {name: each[0] for name, each in run(CASES, tmp_path_factory.mktemp("reports")).items()}


def test_five_passes_of_any_loop(found: dict[str, np.ndarray]) -> None:
    """L1: x + 0.1 x^2 five times from 1, by while_loop, fori_loop and scan."""
    for name in ("by_while", "by_fori", "by_scan"):
        assert found[name].view(np.uint32) == 0x3FE675D0, name
    assert found["gradient_by_fori"] == found["gradient_by_scan"] == CASES["gradient_by_scan"].expected[0]


def test_an_index_outside_reads_and_writes_nothing_strange(
    found: dict[str, np.ndarray], tmp_path: Path
) -> None:
    """L2: reads are clamped, take gives NaN, what a gradient or a store puts outside is dropped."""
    np.testing.assert_array_equal(found["rows"], W[[0, 3, 3, 0]])
    np.testing.assert_array_equal(
        found["gradient_of_rows"], np.array([1, 0, 0, 1])[:, None] * np.ones((4, 3))
    )
    assert np.isnan(found["take"]).all()
    np.testing.assert_array_equal(found["put"], np.where(np.array([1, 0, 0, 1])[:, None] == 1, -1, W))
    outside = {name: CASES[name] for name in ("rows", "gradient_of_rows", "take", "put")}
    quiet = ("env", "ASAN_OPTIONS=detect_leaks=0")
    watched = ("-O1", "-ffp-contract=off", "-fsanitize=address,undefined", "-fno-sanitize-recover")
    again = run_elsewhere(
        outside, tmp_path, ["g++"], quiet, "separate", watched, multiplies=False, static=False
    )
    assert {name: data for name, (data,) in again.items()} == {
        name: found[name].tobytes() for name in outside
    }


def test_a_divergence_with_targets_of_zero(found: dict[str, np.ndarray]) -> None:
    """L4: the untaken branch with log(0) spoils neither the value nor the gradient to the logarithms."""
    assert found["divergence"] == pytest.approx(0.2221703, abs=1e-7)
    expected = np.array([-0.0, -0.4, -0.6, -0.0], np.float32)
    assert found["gradient_of_logs"].tobytes() == expected.tobytes()
    assert np.isnan(found["gradient_of_targets"]).tolist() == [True, False, False, True]
    np.testing.assert_allclose(
        found["gradient_of_targets"][1:3], CASES["gradient_of_targets"].expected[0][1:3], rtol=1e-6
    )
