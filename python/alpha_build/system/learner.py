"""A learner as its user writes it: a JAX loss for one sample, state, optax optimiser, samples, rounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .place import Place, user_place

Partition = Literal["none", "optimizer", "gradients", "parameters"]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """`metric(params, *sample)` gives a scalar or a dict of scalars; it runs after the update of every
    `every`-th round and after the last, over all `samples`."""

    metric: Callable[..., Any]
    samples: Any = field(kw_only=True)
    every: int = field(default=1, kw_only=True)
    place: Place = field(default_factory=user_place, repr=False, kw_only=True)


@dataclass(frozen=True)
class Stop:
    """Stop when `what` ("loss" or a metric) has not improved for `patience` evaluations."""

    what: str
    patience: int = 5


@dataclass(frozen=True, eq=False)
class Learner:
    """`loss(params, *sample)` is a real scalar for one sample; batching is alpha-build's.

    `batch` is samples a round (None: all), `shares` samples of a full batch for each member in order,
    `weights` one number a sample, `shuffle` a seed that permutes the samples once, before round 0.
    """

    loss: Callable[..., Any]
    state: Any = field(kw_only=True)
    optimizer: Any = field(kw_only=True)
    samples: Any = field(kw_only=True)
    rounds: int = field(kw_only=True)
    batch: int | None = field(default=None, kw_only=True)
    partition: Partition = field(default="none", kw_only=True)
    weights: Any = field(default=None, kw_only=True)
    shuffle: int | None = field(default=None, kw_only=True)
    shares: Sequence[int] | None = field(default=None, kw_only=True)
    evaluation: Evaluation | None = field(default=None, kw_only=True)
    stop: Stop | None = field(default=None, kw_only=True)
    key: str | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    place: Place = field(default_factory=user_place, repr=False, kw_only=True)
