"""Small learners: linear and logistic regression on diabetes data, MLPs with labels and with tanh."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from sklearn.datasets import load_diabetes

from alpha_build.system.learner import Evaluation, Learner

_DATA = load_diabetes()
X = _DATA.data.astype(np.float32)
Y = (_DATA.target / 300).astype(np.float32)
_RNG = np.random.default_rng(2)


def linear_loss(params: Any, x: Any, y: Any) -> Any:
    return (x @ params["w"] + params["b"] - y) ** 2


def logistic_loss(params: Any, x: Any, y: Any) -> Any:
    return optax.losses.sigmoid_binary_cross_entropy(x @ params["w"] + params["b"], y)


def tanh_loss(params: Any, x: Any, y: Any) -> Any:
    hidden = jnp.tanh(params["in"] @ x + params["bias"])
    return jnp.square(jnp.dot(params["out"], hidden) - y)


def labels(params: Any, x: Any) -> Any:
    return jax.nn.relu(x @ params[0]["w"] + params[0]["b"]) @ params[1]["w"] + params[1]["b"]


def label_loss(params: Any, x: Any, y: Any) -> Any:
    return optax.losses.softmax_cross_entropy_with_integer_labels(labels(params, x), y)


def accuracy(params: Any, x: Any, y: Any) -> Any:
    return {"accuracy": (jnp.argmax(labels(params, x)) == y).astype(jnp.float32)}


def _weights(*shape: int) -> np.ndarray:
    return (_RNG.normal(size=shape) * 0.1).astype(np.float32)


LINEAR = {"w": np.zeros(10, np.float32), "b": np.float32(0)}
TANH = {"in": _weights(7, 10), "bias": np.zeros(7, np.float32), "out": _weights(7)}
LABELS = [{"w": _weights(10, 6), "b": _weights(6)}, {"w": _weights(6, 3), "b": _weights(3)}]
BINS = np.digitize(Y, [0.3, 0.6]).astype(np.int32)


def learner(loss: Any = linear_loss, **changes: Any) -> Learner:
    """Linear regression unless said otherwise."""
    fields: dict[str, Any] = {
        "state": LINEAR,
        "optimizer": optax.sgd(0.1),
        "samples": (X, Y),
        "batch": 64,
        "rounds": 3,
    }
    return Learner(loss, **fields | changes)


LEARNERS = {
    "linear_sgd": learner(),
    "linear_momentum": learner(optimizer=optax.sgd(0.1, momentum=0.9), batch=None),
    "logistic_adam": learner(
        logistic_loss, samples=(X, (Y > 0.5).astype(np.float32)), optimizer=optax.adam(1e-2)
    ),
    "tanh_adamw": learner(tanh_loss, state=TANH, optimizer=optax.adamw(1e-2)),
    "tanh_clipped": learner(
        tanh_loss,
        state=TANH,
        optimizer=optax.chain(
            optax.clip_by_global_norm(0.05), optax.adam(optax.cosine_decay_schedule(1e-2, 50))
        ),
    ),
    "labels_adam": learner(
        label_loss,
        state=LABELS,
        samples=(X, BINS),
        optimizer=optax.adam(1e-2),
        evaluation=Evaluation(accuracy, samples=(X[::3], BINS[::3]), every=2),
    ),
    "weighted": learner(weights=np.linspace(0, 2, len(X), dtype=np.float32)),
}
