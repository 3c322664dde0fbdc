"""Random keys of a loss: fold_in(fold_in(key(seed), round), index in the batch), whoever holds the sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import alpha_build as ab
from alpha_build.build.checked import checked_system
from alpha_build.build.reference import compile_programs
from alpha_build.learner.trace import trace_learner
from alpha_build.run.reference import Reference
from alpha_build.system.errors import LearnerFailure
from learner.learners import TANH, learner

SEED, ROUND, FIRST, ROWS = 11, 6, 40, 20


def dropout_loss(params: Any, x: Any, y: Any, *, noise: Any) -> Any:
    kept = jax.random.bernoulli(noise, 0.75, (7,))
    hidden = jnp.where(kept, jnp.tanh(params["in"] @ x + params["bias"]) / 0.75, 0)
    return jnp.square(params["out"] @ hidden - y)


DROPOUT = learner(dropout_loss, state=TANH, key="noise", seed=SEED, batch=90, rounds=6)


@pytest.mark.native
def test_a_block_draws_what_jax_draws(tmp_path: Path) -> None:
    traced = trace_learner(DROPOUT)
    assert traced.keyed
    arrays = [array[:ROWS] for array in traced.samples]

    def total(params: Any) -> Any:
        base = jax.random.fold_in(jax.random.key(SEED), ROUND)
        keys = jax.vmap(lambda i: jax.random.fold_in(base, i))(FIRST + jnp.arange(ROWS))
        return jnp.sum(jax.vmap(lambda x, y, k: dropout_loss(params, x, y, noise=k))(*arrays, keys))

    value, gradient = jax.value_and_grad(total)(DROPOUT.state)
    kernel = compile_programs({"block": traced.block}, "separate", tmp_path)["block"]
    given = [leaf.array for leaf in traced.state[: traced.parameters]]
    ours = kernel(ROWS, [*given, *arrays, np.uint32(ROUND), np.uint32(FIRST)])
    for left, right in zip(ours, [value, *jax.tree_util.tree_leaves(gradient)], strict=True):
        np.testing.assert_allclose(left, right, rtol=3e-5, atol=1e-5)


def _reference(members: int, folder: Path, seed: int = SEED) -> Reference:
    system = ab.System(
        name="dropout",
        members=members,
        topology=ab.Tree(fanout=2),
        learner=replace(DROPOUT, seed=seed),
        contract=ab.Contract(order="canonical", block=16),
    )
    return Reference(checked_system(system), folder)


def _final(members: int, folder: Path, seed: int = SEED) -> str:
    reference = _reference(members, folder, seed)
    assert len(list(reference.rounds())) == 6
    return reference.state_hash


@pytest.mark.native
def test_draws_do_not_depend_on_who_holds_a_sample(tmp_path: Path) -> None:
    assert len({_final(members, tmp_path) for members in (1, 3, 5)}) == 1
    assert _final(3, tmp_path, SEED + 1) != _final(3, tmp_path)


@pytest.mark.native
def test_an_index_counts_from_the_start_of_the_batch(tmp_path: Path) -> None:
    """The first round's loss, over blocks of three members, is JAX's with indices 0 to 89."""
    first = next(_reference(3, tmp_path).rounds())
    arrays = [array[:90] for array in trace_learner(DROPOUT).samples]
    base = jax.random.fold_in(jax.random.key(SEED), 0)
    keys = jax.vmap(lambda i: jax.random.fold_in(base, i))(jnp.arange(90))
    losses = jax.vmap(lambda x, y, k: dropout_loss(DROPOUT.state, x, y, noise=k))(*arrays, keys)
    assert first.loss == pytest.approx(float(losses.mean()), rel=1e-5)


def test_a_loss_without_the_parameter_is_refused() -> None:
    with pytest.raises(LearnerFailure, match="unexpected keyword argument 'other'"):
        trace_learner(replace(DROPOUT, key="other"))


def test_another_generator_is_refused_by_name() -> None:
    def loss(params: Any, x: Any, y: Any) -> Any:
        return (
            jax.random.uniform(jax.random.fold_in(jax.random.key(0, impl="rbg"), x[0].astype(int)))
            * params["bias"][0]
        )

    with pytest.raises(ab.UnsupportedPrimitive, match="generator rbg"):
        trace_learner(learner(loss, state=TANH))
