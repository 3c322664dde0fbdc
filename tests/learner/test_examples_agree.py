"""Losses and gradients of the examples against JAX, at the initial state and away from it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from alpha_build.build import reference
from alpha_build.build.reference import Kernel, compile_programs
from alpha_build.learner.program import LearnerProgram
from alpha_build.learner.trace import trace_learner
from alpha_build.system.learner import Learner
from alpha_build.system.load import load_system

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("logistic", "cnn", "transformer")
ROWS, ROUND, FIRST = 9, 4, 30


@pytest.fixture(scope="module")
def learners() -> dict[str, Learner]:
    found = {}
    for name in NAMES:
        learner = load_system(str(EXAMPLES / f"{name}.py")).learner
        assert learner is not None
        found[name] = learner
    return found


@pytest.fixture(scope="module")
def traced(learners: dict[str, Learner]) -> dict[str, LearnerProgram]:
    return {name: trace_learner(learner) for name, learner in learners.items()}


@pytest.fixture(scope="module")
def kernels(traced: dict[str, LearnerProgram], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Kernel]:
    with pytest.MonkeyPatch.context() as patch:  # the bits do not depend on it; the time does
        patch.setattr(reference, "_FLAGS", tuple(f if f != "-O3" else "-O1" for f in reference._FLAGS))
        programs = {name: each.block for name, each in traced.items()}
        return compile_programs(programs, "fused", tmp_path_factory.mktemp("examples"))


def _total(learner: Learner, params: Any, arrays: list[np.ndarray]) -> Any:
    if learner.key is None:
        return jnp.sum(jax.vmap(lambda *one: learner.loss(params, *one))(*arrays))
    name, base = learner.key, jax.random.fold_in(jax.random.key(learner.seed), ROUND)
    keys = jax.vmap(lambda i: jax.random.fold_in(base, i))(FIRST + jnp.arange(ROWS))
    return jnp.sum(jax.vmap(lambda key, *one: learner.loss(params, *one, **{name: key}))(keys, *arrays))


@pytest.mark.native
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_gradient(
    name: str,
    seed: int,
    learners: dict[str, Learner],
    traced: dict[str, LearnerProgram],
    kernels: dict[str, Kernel],
) -> None:
    learner, each, random = learners[name], traced[name], np.random.default_rng(seed)
    picked = random.integers(0, len(each.samples[0]), ROWS)
    arrays = [array[picked] for array in each.samples]
    params = jax.tree_util.tree_map(
        lambda leaf: np.asarray(leaf + seed * random.normal(0, 0.1, leaf.shape), np.float32), learner.state
    )
    value, gradient = jax.value_and_grad(lambda params: _total(learner, params, arrays))(params)
    words = [np.uint32(ROUND), np.uint32(FIRST)] if each.keyed else []
    ours = kernels[name](ROWS, [*jax.tree_util.tree_leaves(params), *arrays, *words])
    for left, right in zip(ours, [value, *jax.tree_util.tree_leaves(gradient)], strict=True):
        bound = 1e-4 * max(1.0, float(np.abs(right).max()))
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=bound)
