"""Loop programs and what a learner is made of, free of JAX: traced once, saved, lowered for each target.

A program is a list of equations over numbered values.  Dimensions are integers or the string "rows", the
run-time row count.  Nothing here depends on names, places or the version of the tracer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # projecting a protocol of one's own takes no array
    import numpy as np

Dimension = int | Literal["rows"]
LOSS = "loss"  # what a rule of stopping calls the loss of a round


@dataclass(frozen=True)
class Aval:
    """Type of a value: NumPy dtype name ("float32", "bfloat16", "bool", ...) and shape."""

    dtype: str
    shape: tuple[Dimension, ...]


@dataclass(frozen=True)
class Literal_:
    """A constant scalar operand: dtype and little-endian bytes."""

    dtype: str
    data: bytes


Operand = int | Literal_  # a value's number, or a literal


@dataclass(frozen=True)
class Equation:
    primitive: str
    inputs: tuple[Operand, ...]
    outputs: tuple[int, ...]
    params: dict[str, Any]  # only what the lowering row reads; CBOR-able
    place: str = field(default="", compare=False)  # user's file:line, for messages; not in the digest


@dataclass(frozen=True)
class Program:
    """inputs are values 0..len(inputs)-1, constants follow, then each equation's outputs in order."""

    inputs: tuple[Aval, ...]
    constants: tuple[np.ndarray, ...]
    values: tuple[Aval, ...]  # every value by number
    equations: tuple[Equation, ...]
    outputs: tuple[Operand, ...]

    def aval(self, operand: Operand) -> Aval:
        """Type of an operand."""
        return Aval(operand.dtype, ()) if isinstance(operand, Literal_) else self.values[operand]


@dataclass(frozen=True)
class StateLeaf:
    name: str  # "params/w1", "optimizer/0/count"
    array: np.ndarray


@dataclass(frozen=True)
class StopRule:
    """When a run ends before its last round: `what` was not better for `patience` times in a row."""

    what: str  # "loss" or the name of a metric
    patience: int
    mode: Literal["min", "max"]

    @property
    def of_loss(self) -> bool:
        return self.what == LOSS


@dataclass(frozen=True)
class LearnerProgram:
    """Everything of a learner that a build needs; `digest` is the learner's part of the run identity."""

    # parameters, sample arrays [, weights] [, round, first row's index in the batch: uint32]
    # -> loss, gradient leaves (in `element`)
    block: Program
    update: Program  # parameters, optimiser leaves, gradient leaves, loss -> parameters, optimiser leaves
    metric: Program | None  # parameters, evaluation arrays -> one scalar a metric (in `element`)
    metric_names: tuple[str, ...]
    state: tuple[StateLeaf, ...]  # parameters in pytree order, then the optimiser's leaves
    parameters: int  # how many of `state` are parameters
    element: str  # region element of loss and gradients: "f32", "f64"
    samples: tuple[np.ndarray, ...]  # permuted if shuffled; the weights last where there are any
    weighted: bool
    evaluation_samples: tuple[np.ndarray, ...]
    batch: int
    rounds: int
    every: int  # evaluation period; 0: no evaluation
    stop: StopRule | None = None
    digest: bytes = b""
    # Whether executables hold the samples, and those of the evaluation; None: as their size says.
    embed: tuple[bool | None, bool | None] = (None, None)
    # Nesting of "params" and of "optimizer", see structure.py.
    structure: dict[str, Any] = field(default_factory=dict, compare=False)
    # One line each, for the user: narrowed dtypes.
    notices: tuple[str, ...] = field(default=(), compare=False)

    @property
    def keyed(self) -> bool:
        """Whether the block takes the round and its first row's index, for random keys."""
        return len(self.block.inputs) == self.parameters + len(self.samples) + 2
