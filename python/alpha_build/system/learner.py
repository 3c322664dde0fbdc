"""A learner as its user writes it: a JAX loss for one sample, state, optax optimiser, samples, rounds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from .place import Place, user_folder, user_place

Partition = Literal["none", "optimizer", "gradients", "parameters"]
Column = str | int  # of a CSV file: its name in the header, or its number from 0


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples from a file, or arrays with a word about where executables keep them.

    `source` is the path of a `.npz`, `.npy`, `.safetensors` or `.csv` file, from the folder of the file that
    says so, or what `samples=` takes anyway: an array, or a tuple, list or dict of arrays.

    `arrays` picks from a file: names in the order of the loss's parameters, or a dict from parameter to name.
    In a CSV file a name is a column, by its name or its number from 0, and a list or range of columns is one
    array of that many numbers a sample.  Without it the loss gets every array, or every named column, as an
    argument of that name; what has no names (`.npy`, a CSV file without a header) is one array.

    `header` is how many lines of a CSV file stand before its numbers, the last of them the columns' names;
    None: one where the first line holds no number, else none.

    `embed` says whether each executable holds its samples (True), or finds them in a file beside itself
    (False); None: beside where they take more than 16 MiB.  The bits and the run identity are the same.
    """

    source: Any
    arrays: Sequence[Column | Sequence[Column]] | Mapping[str, Column | Sequence[Column]] | None = field(
        default=None, kw_only=True
    )
    header: int | None = field(default=None, kw_only=True)
    embed: bool | None = field(default=None, kw_only=True)
    folder: Path = field(default_factory=user_folder, repr=False, kw_only=True)
    place: Place = field(default_factory=user_place, repr=False, kw_only=True)


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
    """Ends the run once `what` has not improved on its best value for `patience` times in a row.

    `what` is "loss", looked at in every round, or the name of a metric, looked at after every evaluation.
    Better is less, or with `mode="max"` more; a metric needs its mode said ("min" or "max").  The value must
    differ to be better, and a NaN never is.  The root decides and says so to every owner, so that all end
    with the same round; the state is that of this last round, and an evaluation follows it.
    """

    what: str
    patience: int = 5
    mode: Literal["min", "max"] | None = field(default=None, kw_only=True)
    place: Place = field(default_factory=user_place, repr=False, compare=False, kw_only=True)


@dataclass(frozen=True, eq=False)
class Learner:
    """`loss(params, *sample)` is a real scalar for one sample; batching is alpha-build's.

    `samples` are an array, or a tuple, list or dict of arrays of one length, or `Samples` from a file;
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
