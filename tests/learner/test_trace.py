"""What a user may give a Learner, and each refusal with its kind, place and remedy."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from alpha_build.learner.program import LearnerProgram
from alpha_build.learner.trace import trace_learner
from alpha_build.system.errors import AlphaError, ContractFailure, LearnerFailure, UnsupportedPrimitive
from alpha_build.system.learner import Evaluation
from learner.learners import LINEAR, X, Y, learner, linear_loss

HERE = "test_trace.py:"


def trace(loss: Any = linear_loss, **changes: Any) -> LearnerProgram:
    return trace_learner(learner(loss, **changes))


# ---- what is taken ----------------------------------------------------------------------------


def test_samples_by_position_or_name() -> None:
    tuples = trace(samples=(X, Y))
    assert trace(samples=[X, Y]).digest == tuples.digest
    assert trace(samples={"x": X, "y": Y}).digest == tuples.digest
    swapped = trace(samples={"y": Y, "x": X})
    assert [array.ndim for array in swapped.samples] == [1, 2]
    alone = trace(lambda params, x: jnp.sum(x * params["w"]) ** 2, samples=X)
    assert len(alone.samples) == 1


def test_wrapped_losses_are_the_same_program() -> None:
    plain = trace().digest
    assert trace(functools.partial(linear_loss)).digest == plain
    assert trace(jax.jit(linear_loss)).digest == plain
    assert trace(jax.checkpoint(linear_loss)).block.outputs


def test_state_leaves_of_every_sort() -> None:
    def loss(params: Any, x: Any, y: Any) -> Any:
        return (x @ params["w"] + params["b"] + params["c"] - y) ** 2 + 0 * jnp.sum(params["empty"])

    state = {
        "w": jnp.zeros(10),
        "b": 0.5,
        "c": np.float32(1),
        "none": None,
        "empty": np.zeros((1, 0, 2), np.float32),
    }
    traced = trace(loss, state=state)
    shapes = {leaf.name: leaf.array.shape for leaf in traced.state}
    assert shapes == {"params/b": (), "params/c": (), "params/empty": (1, 0, 2), "params/w": (10,)}
    bare = trace(lambda w, x, y: (x @ w - y) ** 2, state=np.zeros(10, np.float32))
    assert bare.state[0].name == "params"


def test_closed_over_arrays_are_constants_and_scalars_literals() -> None:
    scale, table = np.float64(2), np.arange(10, dtype=np.float32)
    program = trace(lambda p, x, y: (scale * (x * table) @ p["w"] - y) ** 2).block
    assert [constant.tolist() for constant in program.constants] == [table.tolist()]
    assert all(aval.dtype != "float64" for aval in program.values)


def test_narrowing_is_told_in_one_line() -> None:
    wide = trace(samples=(X.astype(np.float64), Y.astype(np.float64)))
    assert len(wide.notices) == 1
    assert "samples[0], samples[1]" in wide.notices[0]
    assert wide.digest == trace().digest
    assert trace().notices == ()


def test_shuffle_permutes_once_and_weights_come_last() -> None:
    weights = np.arange(len(X))
    shuffled = trace(shuffle=3, weights=weights)
    order = np.random.default_rng(3).permutation(len(X))
    assert shuffled.weighted
    np.testing.assert_array_equal(shuffled.samples[-1], weights[order].astype(np.float32))
    np.testing.assert_array_equal(shuffled.samples[0], X[order])
    assert trace(shuffle=0).digest != trace().digest


def test_value_reaches_an_optimiser_that_takes_it() -> None:
    def update(gradient: Any, state: Any, params: Any = None, *, value: Any, **others: Any) -> Any:
        return jax.tree_util.tree_map(lambda leaf: -leaf * value, gradient), state

    rule = optax.GradientTransformationExtraArgs(lambda params: optax.EmptyState(), update)
    program = trace(optimizer=optax.chain(optax.sgd(0.1), rule)).update
    loss = len(program.inputs) - 1
    assert any(loss in equation.inputs for equation in program.equations)


def test_a_scalar_metric_has_a_name() -> None:
    evaluated = trace(evaluation=Evaluation(linear_loss, samples=(X, Y), every=2))
    assert evaluated.metric_names == ("metric",)
    assert evaluated.every == 2


def counted(params: Any, x: Any, y: Any) -> Any:
    return jax.lax.fori_loop(0, 5, lambda _, v: v + 0.1 * v**2, x @ params["w"])


def scanned(params: Any, x: Any, y: Any) -> Any:
    return jax.lax.scan(lambda v, _: (v + 0.1 * v**2, None), x @ params["w"], None, length=5)[0]


@pytest.mark.parametrize("loss", [counted, scanned])
def test_loops_of_known_length_have_a_gradient(loss: Any) -> None:
    assert "scan" in {equation.primitive for equation in trace(loss).block.equations}


# ---- what is refused --------------------------------------------------------------------------


def batch_loss(params: Any, x: Any, y: Any) -> Any:
    return x * params["w"] - y


def two_values(params: Any, x: Any, y: Any) -> Any:
    return linear_loss(params, x, y), params


def whole_loss(params: Any, x: Any, y: Any) -> Any:
    return jnp.argmax(x)


def mean_over_devices(params: Any, x: Any, y: Any) -> Any:
    return jax.lax.pmean(linear_loss(params, x, y), "batch")


def printing(params: Any, x: Any, y: Any) -> Any:
    jax.debug.print("{}", y)
    return linear_loss(params, x, y)


def dynamic_while(params: Any, x: Any, y: Any) -> Any:
    start = (0, x @ params["w"])
    return jax.lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] + 0.1 * c[1] ** 2), start)[1]


def gamma(params: Any, x: Any, y: Any) -> Any:
    return jax.lax.lgamma(x @ params["w"])


def missing_key(params: Any, x: Any, y: Any) -> Any:
    return params["absent"] * y


def branching(params: Any, x: Any, y: Any) -> Any:
    return linear_loss(params, x, y) if y > 0 else 0.0


REFUSED: dict[str, tuple[type[AlphaError], str, dict[str, Any]]] = {
    "batch-loss": (LearnerFailure, "loss-scalar", {"loss": batch_loss}),
    "auxiliary": (LearnerFailure, "loss-scalar", {"loss": two_values}),
    "integer-loss": (LearnerFailure, "loss-scalar", {"loss": whole_loss}),
    "collective": (LearnerFailure, "collective", {"loss": mean_over_devices}),
    "callback": (UnsupportedPrimitive, "callback", {"loss": printing}),
    "while": (LearnerFailure, "while-gradient", {"loss": dynamic_while}),
    "lgamma": (UnsupportedPrimitive, "primitive", {"loss": gamma}),
    "raises": (LearnerFailure, "raised", {"loss": missing_key}),
    "branches": (LearnerFailure, "traced", {"loss": branching}),
    "state-nan": (LearnerFailure, "state-nan", {"state": dict(LINEAR, b=np.float32("nan"))}),
    "state-integer": (LearnerFailure, "state-dtype", {"state": dict(LINEAR, k=3)}),
    "state-empty": (LearnerFailure, "state", {"state": {}}),
    "batch-large": (LearnerFailure, "batch", {"batch": len(X) + 1}),
    "batch-zero": (LearnerFailure, "batch", {"batch": 0}),
    "rounds": (LearnerFailure, "rounds", {"rounds": 2.5}),
    "lengths": (LearnerFailure, "sample-length", {"samples": (X, Y[:-1])}),
    "no-samples": (LearnerFailure, "samples", {"samples": ()}),
    "words": (LearnerFailure, "not-an-array", {"samples": (X, ["a"] * len(X))}),
    "integer-fit": (LearnerFailure, "narrowing", {"samples": (X, np.full(len(X), 2**40))}),
    "float-fit": (LearnerFailure, "narrowing", {"samples": (X.astype(np.float64) * 1e300, Y)}),
    "weights": (LearnerFailure, "weights", {"weights": [1, 2]}),
    "optimizer": (LearnerFailure, "optimizer", {"optimizer": 0.1}),
    "line-search": (LearnerFailure, "line-search", {"optimizer": optax.lbfgs()}),
    "collision": (
        LearnerFailure,
        "state-names",
        {"state": {"a/b": 1.0, "a": {"b": 1.0}}, "loss": lambda p, x, y: p["a/b"] * p["a"]["b"] - y},
    ),
    "metric": (LearnerFailure, "metric", {"evaluation": Evaluation(batch_loss, samples=(X, Y))}),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    error, kind, changes = REFUSED[name]
    with pytest.raises(error) as caught:
        trace(**changes)
    assert caught.value.kind == kind
    assert caught.value.hint
    if "loss" in changes and name != "collision":
        assert str(caught.value).startswith(HERE)


def test_a_refused_primitive_is_named_after_the_line_and_before_the_remedy() -> None:
    with pytest.raises(UnsupportedPrimitive) as caught:
        trace(gamma)
    where, message, remedy = str(caught.value).partition(" primitive lgamma ")
    line = gamma.__code__.co_firstlineno + 1
    assert where == f"{HERE}{line}:"
    assert message
    assert "dot_general" in remedy


def test_a_batch_loss_is_said_to_look_like_one() -> None:
    with pytest.raises(LearnerFailure, match="looks like a batch loss"):
        trace(batch_loss)


@pytest.mark.parametrize(("element", "narrow"), [("bf16", "bfloat16"), ("f16", "float16")])
def test_narrow_contributions_are_rounded_once_and_travel_wide(element: str, narrow: str) -> None:
    traced = trace_learner(learner(), element)
    block = traced.block
    assert traced.element == "f32"
    made = {value: equation for equation in block.equations for value in equation.outputs}
    for output in block.outputs:
        assert isinstance(output, int)
        widening = made[output]
        (rounded,) = widening.inputs
        assert block.aval(output).dtype == "float32"
        assert widening.primitive == "convert_element_type"
        assert block.aval(rounded).dtype == narrow


def test_elements_of_a_contract() -> None:
    with pytest.raises(ContractFailure, match="jax_enable_x64"):
        trace_learner(learner(), "f64")
    with pytest.raises(ContractFailure, match="i32"):
        trace_learner(learner(), "i32")
