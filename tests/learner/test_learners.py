"""Whole learners: block, update and metric against JAX on random inputs, in both roundings."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from alpha_build.build.reference import compile_programs
from alpha_build.learner.program import LearnerProgram
from alpha_build.learner.structure import rebuild
from alpha_build.learner.trace import trace_learner
from learner.learners import LEARNERS

ROWS = 33


@pytest.fixture(scope="module")
def traced() -> dict[str, LearnerProgram]:
    return {name: trace_learner(learner) for name, learner in LEARNERS.items()}


@pytest.fixture(scope="module", params=["separate", "fused"])
def kernels(
    request: pytest.FixtureRequest,
    traced: dict[str, LearnerProgram],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, Any]:
    programs = {}
    for name, each in traced.items():
        parts = {"block": each.block, "update": each.update, "metric": each.metric}
        programs |= {f"{name}_{part}": program for part, program in parts.items() if program is not None}
    return compile_programs(programs, request.param, tmp_path_factory.mktemp("learners"))


def _state(each: LearnerProgram) -> list[np.ndarray]:
    return [leaf.array for leaf in each.state]


def _close(ours: list[np.ndarray], theirs: list[Any], bound: float = 3e-5) -> None:
    assert len(ours) == len(theirs)
    for left, right in zip(ours, map(np.asarray, theirs), strict=True):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        np.testing.assert_allclose(
            left, right, rtol=bound, atol=bound * max(1, float(np.abs(right).max(initial=0)))
        )


@pytest.mark.native
@pytest.mark.parametrize("name", LEARNERS)
def test_block_is_the_gradient_of_the_sum(
    name: str, traced: dict[str, LearnerProgram], kernels: dict[str, Any]
) -> None:
    each, learner = traced[name], LEARNERS[name]
    arrays = [array[:ROWS] for array in each.samples]
    weights = arrays.pop() if each.weighted else np.ones(ROWS, np.float32)

    def total(params: Any) -> Any:
        return jnp.sum(weights * jax.vmap(learner.loss, (None, 0, 0))(params, *arrays))

    value, gradient = jax.value_and_grad(total)(learner.state)
    inputs = [*_state(each)[: each.parameters], *arrays, *([weights] if each.weighted else [])]
    _close(kernels[f"{name}_block"](ROWS, inputs), [value, *jax.tree_util.tree_leaves(gradient)])


@pytest.mark.native
@pytest.mark.parametrize("name", LEARNERS)
def test_update_is_the_optimisers(
    name: str, traced: dict[str, LearnerProgram], kernels: dict[str, Any]
) -> None:
    each, learner = traced[name], LEARNERS[name]
    random = np.random.default_rng(7)
    params = jax.tree_util.tree_map(jnp.asarray, learner.state)
    state = learner.optimizer.init(params)
    ours = _state(each)
    for _ in range(3):
        gradient = jax.tree_util.tree_map(
            lambda leaf: random.normal(size=leaf.shape).astype(np.float32) * 0.1, params
        )
        change, state = learner.optimizer.update(gradient, state, params)
        params = optax.apply_updates(params, change)
        leaves = [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(gradient)]
        ours = kernels[f"{name}_update"](0, [*ours, *leaves, np.float32(1)])
    _close(ours, jax.tree_util.tree_leaves((params, state)))


@pytest.mark.native
def test_metric_is_a_sum_over_rows(traced: dict[str, LearnerProgram], kernels: dict[str, Any]) -> None:
    each, learner = traced["labels_adam"], LEARNERS["labels_adam"]
    assert each.metric_names == ("accuracy",)
    assert learner.evaluation is not None
    arrays = list(each.evaluation_samples)
    values = jax.vmap(learner.evaluation.metric, (None, 0, 0))(learner.state, *arrays)["accuracy"]
    (ours,) = kernels["labels_adam_metric"](len(arrays[0]), [*_state(each)[: each.parameters], *arrays])
    assert ours == values.sum()


def test_names_and_nesting_of_the_state(traced: dict[str, LearnerProgram]) -> None:
    each = traced["labels_adam"]
    names = [leaf.name for leaf in each.state]
    assert names[:4] == ["params/0/b", "params/0/w", "params/1/b", "params/1/w"]
    assert names[4:6] == ["optimizer/0/count", "optimizer/0/mu/0/b"]
    arrays = {leaf.name: leaf.array for leaf in each.state}
    params = rebuild(each.structure["params"], arrays.__getitem__)
    assert isinstance(params, list)
    np.testing.assert_array_equal(params[1]["w"], LEARNERS["labels_adam"].state[1]["w"])
    optimizer = rebuild(each.structure["optimizer"], arrays.__getitem__)
    assert isinstance(optimizer, tuple)
    assert optimizer[0]["count"] == 0
