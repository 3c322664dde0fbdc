"""The user's Learner traced: block, update and metric programs, state leaves, samples, digest."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax  # type: ignore[import-untyped]

from ..system.errors import ContractFailure, LearnerFailure
from ..system.learner import Evaluation
from .digest import learner_digest
from .program import LearnerProgram, Program, StateLeaf
from .trace_data import Narrowing, SampleArrays, to_array, to_samples, to_weights
from .trace_functions import loss_of_one, metric_of_one, placed, tracing
from .trace_jax import abstract, symbolic_rows, x64
from .trace_keys import Key
from .trace_program import to_program
from .trace_stop import stop_rule
from .trace_tree import check_names, describe, leaf_names, state_leaves

# What the loss and the gradients travel as, and what each contribution is rounded to first.
_DTYPES = {"f32": "float32", "f64": "float64", "bf16": "float32", "f16": "float32"}
_NARROW = {"bf16": jnp.bfloat16, "f16": jnp.float16}


def trace(learner: Any, element: str) -> LearnerProgram:
    """See trace.trace_learner."""
    dtype = _dtype(element)
    _check_partition(learner)
    narrowing = Narrowing()
    leaves = state_leaves(learner.state, narrowing)
    params = jax.tree_util.tree_unflatten(
        jax.tree_util.tree_structure(learner.state), [jnp.asarray(leaf.array) for leaf in leaves]
    )
    samples = to_samples(learner.samples, "samples", narrowing)
    batch = _batch(learner.batch, samples.count)
    weights = None
    if learner.weights is not None:
        weights = to_weights(learner.weights, samples.count, dtype, narrowing)
    optimizer = _Optimizer(learner.optimizer, params, narrowing)
    all_leaves = [*leaves, *optimizer.leaves]
    check_names(all_leaves)
    key = Key(learner.key, learner.seed) if getattr(learner, "key", None) else None
    narrow = _NARROW.get(element)
    block = _block(learner.loss, params, samples, weights is not None, dtype, narrow, key)
    update = optimizer.trace(params, dtype)
    metric, metric_names, evaluated, every = _evaluation(learner.evaluation, params, dtype, narrowing)
    in_evaluation = None if evaluated is None else evaluated.embed
    arrays = samples.arrays if weights is None else (*samples.arrays, weights)
    program = LearnerProgram(
        block=block,
        update=update,
        metric=metric,
        metric_names=metric_names,
        state=tuple(all_leaves),
        parameters=len(leaves),
        element="f32" if narrow else element,
        samples=_shuffled(arrays, learner.shuffle),
        weighted=weights is not None,
        evaluation_samples=() if evaluated is None else evaluated.arrays,
        batch=batch,
        rounds=_count(learner.rounds, "rounds"),
        every=every,
        stop=stop_rule(learner.stop, metric_names),
        structure={
            "params": describe("params", learner.state),
            "optimizer": describe("optimizer", optimizer.state),
        },
        notices=narrowing.notices(),
        embed=(samples.embed, in_evaluation),
    )
    return dataclasses.replace(program, digest=learner_digest(program))


def _dtype(element: str) -> str:
    if element not in _DTYPES:
        raise ContractFailure(
            f"a learner's loss and gradients cannot travel as {element}",
            kind="element",
            hint="use element='f32', 'f64', 'bf16' or 'f16'",
        )
    if element == "f64" and not x64():
        raise ContractFailure(
            "element f64 with jax_enable_x64 off: JAX would compute in 32 bits",
            kind="element",
            hint="set jax.config.update('jax_enable_x64', True) in the system file",
        )
    return _DTYPES[element]


def _check_partition(learner: Any) -> None:
    """A field that a Learner may carry and this release does not lower."""
    partition = getattr(learner, "partition", "none")
    if partition != "none":
        raise LearnerFailure(
            f"partition={partition!r} is not in this release",
            kind="partition",
            hint="use partition='none': every owner holds the whole state",
        )


def _count(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise LearnerFailure(f"{name} is {value!r}", kind=name, hint="give an integer of at least 1")
    return int(value)


def _batch(batch: Any, count: int) -> int:
    if batch is None:
        return count
    size = _count(batch, "batch")
    if size > count:
        raise LearnerFailure(
            f"batch is {size}, and there are {count} samples",
            kind="batch",
            hint=f"give a batch of at most {count}, or None for all samples",
        )
    return size


def _shuffled(arrays: tuple[np.ndarray, ...], seed: Any) -> tuple[np.ndarray, ...]:
    if seed is None:
        return arrays
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise LearnerFailure(
            f"shuffle={seed!r} is no seed", kind="shuffle", hint="give an integer of at least 0, or None"
        )
    order = np.random.default_rng(seed).permutation(len(arrays[0]))
    return tuple(np.ascontiguousarray(array[order]) for array in arrays)


def _shapes(arrays: tuple[np.ndarray, ...], rows: Any) -> list[Any]:
    return [abstract((rows, *array.shape[1:]), array.dtype) for array in arrays]


def _block(
    loss: Any,
    params: Any,
    samples: SampleArrays,
    weighted: bool,
    dtype: str,
    narrow: Any,
    key: Key | None,
) -> Program:
    """Sum of the (weighted) losses of `rows` samples, and its gradient."""
    one, forward = loss_of_one(loss, params, samples, key)
    rows = symbolic_rows()

    def total(params: Any, arrays: Any, weights: Any, words: Any) -> Any:
        keys = key.of_rows(rows, *words) if key else None
        losses = jax.vmap(one, in_axes=(None, 0, 0 if key else None))(params, arrays, keys).astype(dtype)
        return jnp.sum(losses if weights is None else losses * weights)

    tree = jax.tree_util.tree_structure(params)
    count = len(jax.tree_util.tree_leaves(params))

    def block(*flat: Any) -> Any:
        given = jax.tree_util.tree_unflatten(tree, flat[:count])
        arrays, rest = flat[count : count + len(samples.arrays)], flat[count + len(samples.arrays) :]
        weights = rest[0] if weighted else None
        words = rest[-2:] if key else ()
        value, gradient = jax.value_and_grad(total)(given, tuple(arrays), weights, words)
        parts = [value, *jax.tree_util.tree_leaves(gradient)]
        return [(part.astype(narrow) if narrow else part).astype(dtype) for part in parts]

    shapes = _shapes(samples.arrays, rows)
    if weighted:
        shapes.append(abstract((rows,), np.dtype(dtype)))
    if key:
        shapes += [abstract((), np.uint32)] * 2
    with placed("loss", loss, forward):
        return to_program(jax.make_jaxpr(block)(*jax.tree_util.tree_leaves(params), *shapes))


class _Optimizer:
    """An optax optimiser over the parameters: its initial leaves and its update."""

    def __init__(self, optimizer: Any, params: Any, narrowing: Narrowing) -> None:
        if not (hasattr(optimizer, "init") and hasattr(optimizer, "update")):
            raise LearnerFailure(
                f"optimizer={optimizer!r} has no init and update",
                kind="optimizer",
                hint="give an optax optimiser, such as optax.adam(1e-2)",
            )
        self.rule = optax.with_extra_args_support(optimizer)
        with tracing("optimizer", "its init"):
            self.state = self.rule.init(params)
        self.leaves = [
            StateLeaf(name, to_array(value, name, narrowing))
            for name, value in leaf_names("optimizer", self.state)
        ]

    def trace(self, params: Any, dtype: str) -> Program:
        """parameters, optimiser leaves, gradient leaves, mean loss -> parameters, optimiser leaves."""
        tree, own = jax.tree_util.tree_structure(params), jax.tree_util.tree_structure(self.state)
        count, own_count = len(jax.tree_util.tree_leaves(params)), len(self.leaves)

        def update(*flat: Any) -> Any:
            given = jax.tree_util.tree_unflatten(tree, flat[:count])
            state = jax.tree_util.tree_unflatten(own, flat[count : count + own_count])
            arrived = flat[count + own_count : -1]
            gradient = jax.tree_util.tree_unflatten(
                tree, [g.astype(p.dtype) for g, p in zip(arrived, flat[:count], strict=True)]
            )
            change, state = self.rule.update(gradient, state, given, value=flat[-1])
            leaves = jax.tree_util.tree_leaves((optax.apply_updates(given, change), state))
            if len(leaves) != len(flat) - count - 1:
                raise LearnerFailure(
                    "the optimiser's update changes the number of its state's leaves",
                    kind="optimizer",
                    hint="give an optimiser whose state keeps its structure",
                )
            return [self._kept(new, old) for new, old in zip(leaves, flat, strict=False)]

        leaves = [*jax.tree_util.tree_leaves(params), *(jnp.asarray(leaf.array) for leaf in self.leaves)]
        gradient = [abstract(p.shape, np.dtype(dtype)) for p in leaves[:count]]
        with tracing("optimizer", "its update"):
            closed = jax.make_jaxpr(update)(*leaves, *gradient, abstract((), np.dtype(dtype)))
        return to_program(closed)

    @staticmethod
    def _kept(new: Any, old: Any) -> Any:
        if new.shape != old.shape:
            raise LearnerFailure(
                f"the optimiser's update changes a state leaf's shape from {old.shape} to {new.shape}",
                kind="optimizer",
                hint="give an optimiser whose state keeps its shapes",
            )
        return new.astype(old.dtype)


def _evaluation(
    evaluation: Any, params: Any, dtype: str, narrowing: Narrowing
) -> tuple[Program | None, tuple[str, ...], SampleArrays | None, int]:
    """Sums of the metrics over `rows` samples, their names, the samples and the period."""
    if evaluation is None:
        return None, (), None, 0
    if not isinstance(evaluation, Evaluation):
        raise LearnerFailure(
            f"evaluation= is a {type(evaluation).__name__}, no evaluation",
            kind="metric",
            hint="use ab.Evaluation(metric, samples=(x, y), every=10)",
        )
    samples = to_samples(evaluation.samples, "evaluation.samples", narrowing)
    every = _count(evaluation.every, "every")
    one, names, forward = metric_of_one(evaluation.metric, params, samples)
    tree = jax.tree_util.tree_structure(params)
    count = len(jax.tree_util.tree_leaves(params))

    def metric(*flat: Any) -> Any:
        given = jax.tree_util.tree_unflatten(tree, flat[:count])
        values = jax.vmap(one, in_axes=(None, 0))(given, tuple(flat[count:]))
        return [jnp.sum(value.astype(dtype)) for value in values]

    shapes = _shapes(samples.arrays, symbolic_rows())
    with placed("metric", evaluation.metric, forward):
        program = to_program(jax.make_jaxpr(metric)(*jax.tree_util.tree_leaves(params), *shapes))
    return program, names, samples, every
