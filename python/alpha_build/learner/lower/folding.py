"""Rows of reduce and reduce_window with a function of the user's own: called element after element."""

from __future__ import annotations

from collections.abc import Callable

from ..program import Equation
from .control import Body
from .extent import extent
from .lowering import Lowering
from .row import Row
from .tree import Load
from .window import Window, row_major_index, window_of
from .writer import CPP_TYPES, Block, braced, nest


class _Fold:
    """Totals that start at given values and take one element of each operand at a time."""

    def __init__(self, lowering: Lowering, equation: Equation) -> None:
        extra = equation.params["extra"]
        self.lowering, self.equation = lowering, equation
        self.count = (len(equation.inputs) - extra) // 2
        operands, starts = equation.inputs[: self.count], equation.inputs[self.count : 2 * self.count]
        self.views = [lowering.view(operand) for operand in operands]
        self.starts = [lowering.contiguous(operand) for operand in starts]
        self.closed = [lowering.contiguous(operand) for operand in equation.inputs[2 * self.count :]]
        self.kinds = [CPP_TYPES[lowering.aval(operand).dtype] for operand in operands]
        self.results = [lowering.allocate(value) for value in equation.outputs]
        self.body = Body(lowering, equation.params["jaxpr"])

    def _all(self, text: Callable[[int], str]) -> list[str]:
        return [text(i) for i in range(self.count)]

    def declare(self) -> list[str]:
        body = self.body
        return [
            *self._all(lambda i: f"{self.kinds[i]} total{i}[1], item{i}[1], next{i}[1];"),
            *body.declare(),
            *body.give(0, self._all(lambda i: f"total{i}")),
            *body.give(self.count, self._all(lambda i: f"item{i}")),
            *body.give(2 * self.count, self.closed),
            *body.take(0, self._all(lambda i: f"next{i}")),
        ]

    def start(self) -> list[str]:
        return self._all(lambda i: f"total{i}[0] = {self.starts[i]}[0];")

    def step(self, read: Callable[[Load], str]) -> list[str]:
        return [
            *self._all(lambda i: f"item{i}[0] = {read(self.views[i])};"),
            self.body.call(self.lowering.alone),
            *self._all(lambda i: f"total{i}[0] = next{i}[0];"),
        ]

    def end(self, where: str) -> list[str]:
        return self._all(lambda i: f"{self.results[i]}[{where}] = total{i}[0];")

    def write(self, lines: list[str]) -> None:
        whole = [self.lowering.comment(self.equation), *braced([*self.declare(), *lines])]
        reads = {*(view.buffer for view in self.views), *self.starts, *self.closed, self.body.room}
        self.lowering.write(whole, reads, set(self.results))
        for name, value in zip(self.results, self.equation.outputs, strict=True):
            self.lowering.canonicalise(name, value)


def _reduce(lowering: Lowering, equation: Equation) -> None:
    shape = lowering.aval(equation.inputs[0]).shape
    axes = list(equation.params["dimensions"])
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    fold = _Fold(lowering, equation)
    names = tuple(f"o{axis}" for axis in range(len(shape)))

    def read(view: Load) -> str:
        return f"{view.buffer}[{Block(names).index(view.strides, view.offset)}]"

    inner = nest(tuple(names[a] for a in axes), tuple(extent(shape[a]) for a in axes), fold.step(read))
    where = row_major_index(tuple(names[a] for a in kept), tuple(shape[a] for a in kept))
    body = [*fold.start(), *inner, *fold.end(where)]
    fold.write(nest(tuple(names[a] for a in kept), tuple(extent(shape[a]) for a in kept), body))


def _reduce_window(lowering: Lowering, equation: Equation) -> None:
    window: Window = window_of(lowering, equation, lowering.aval(equation.inputs[0]).shape)
    to = lowering.program.values[equation.outputs[0]].shape
    fold = _Fold(lowering, equation)
    body = [
        *fold.start(),
        *window.over(fold.step(window.reading)),
        *fold.end(row_major_index(window.places, to)),
    ]
    fold.write(nest(window.places, tuple(extent(size) for size in to), body))


ROWS: dict[str, Row] = {
    "reduce": Row(_reduce, reads=("jaxpr", "dimensions", "extra")),
    "reduce_window": Row(
        _reduce_window,
        reads=(
            "jaxpr", "extra", "window_dimensions", "window_strides", "padding",
            "base_dilation", "window_dilation",
        ),
    ),
}  # fmt: skip
