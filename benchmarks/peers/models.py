"""What the training benchmark trains, in all systems alike: a loss of one sample, its state, the samples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax

RATE = 0.01


@dataclass(frozen=True)
class Model:
    loss: Callable[..., Any]
    state: dict[str, np.ndarray]
    samples: tuple[np.ndarray, ...]


def _line(params: Any, x: Any, y: Any) -> Any:
    return (x @ params["w"] + params["b"] - y) ** 2


def _network(params: Any, x: Any, y: Any) -> Any:
    hidden = jax.nn.relu(x @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"] + params["b2"]
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits, y)


def _normal(random: np.random.Generator, *shape: int) -> np.ndarray:
    return random.normal(0, shape[0] ** -0.5, shape).astype(np.float32)


def linear() -> Model:
    """10,000 samples of 64 numbers."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(10_000, 64)), random.normal(size=10_000)
    state = {"w": np.zeros(64, np.float32), "b": np.zeros((), np.float32)}
    return Model(_line, state, (x.astype(np.float32), y.astype(np.float32)))


def network(samples: int) -> Model:
    """784 numbers, 128 hidden units, 10 classes."""
    random = np.random.default_rng(0)
    x, y = random.normal(size=(samples, 784)), random.integers(0, 10, samples)
    state = {
        "w1": _normal(random, 784, 128),
        "b1": jnp.zeros(128),
        "w2": _normal(random, 128, 10),
        "b2": jnp.zeros(10),
    }
    plain = {name: np.asarray(leaf, np.float32) for name, leaf in state.items()}
    return Model(_network, plain, (x.astype(np.float32), y.astype(np.int32)))


MODELS: dict[str, Callable[[], Model]] = {
    "linear 10,000 x 64": linear,
    "mlp 784-128-10, batch 256": lambda: network(256),
    "mlp 784-128-10, batch 8,192": lambda: network(8192),
}
