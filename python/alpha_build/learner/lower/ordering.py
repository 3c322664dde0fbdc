"""Rows that order elements: stable sorts by one or more keys, and the largest few."""

from __future__ import annotations

from collections.abc import Sequence

from ..program import Equation
from .extent import Extent, extent, row_major
from .lowering import Lowering
from .row import Row
from .tree import Load, Strides
from .writer import CPP_TYPES, Block, braced, nest


class _Line:
    """One axis of arrays of a common shape, and loops over all others."""

    def __init__(self, lowering: Lowering, equation: Equation, axis: int) -> None:
        self.shape = lowering.aval(equation.inputs[0]).shape
        self.axis, size = axis, self.shape[axis]
        if not isinstance(size, int):
            raise lowering.refuse(equation, "over samples has no lowering", "keep each sample apart")
        self.count = size
        kept = [a for a in range(len(self.shape)) if a != axis]
        self.kept = kept
        self.indices = tuple(f"i{a}" for a in kept)
        self.sizes = tuple(extent(self.shape[a]) for a in kept)
        self.order = lowering.temporary("uint32", (2 * size,))

    def read(self, view: Load, at: str) -> str:
        return f"{view.buffer}[{self.index(view.strides, view.offset, at)}]"

    def index(self, strides: Strides, offset: Extent, at: str) -> str:
        moved = (*(strides[a] for a in self.kept), strides[self.axis])
        return Block((*self.indices, at)).index(moved, offset)

    def sort(self, tests: Sequence[str]) -> list[str]:
        return [
            f"sort_order({self.order}, {self.order} + {self.count}, {self.count}, [&](u64 l, u64 r) {{",
            *("  " + line for line in tests),
            "  return false;",
            "});",
        ]

    def over(self, body: list[str]) -> list[str]:
        return nest(self.indices, self.sizes, body) if self.indices else braced(body)


def _sort(lowering: Lowering, equation: Equation) -> None:
    line = _Line(lowering, equation, equation.params["dimension"])
    views = [lowering.view(operand) for operand in equation.inputs]
    names = [lowering.allocate(value) for value in equation.outputs]
    tests = []
    for view in views[: equation.params["num_keys"]]:
        left, right = line.read(view, "l"), line.read(view, "r")
        tests.append(f"if (sorts_before({left}, {right})) return true;")
        tests.append(f"if (sorts_before({right}, {left})) return false;")
    strides = row_major(line.shape)
    moves = [
        f"{name}[{line.index(strides, Extent(), 'k')}] = {line.read(view, f'{line.order}[k]')};"
        for name, view in zip(names, views, strict=True)
    ]
    body = [*line.sort(tests), *nest(("k",), (extent(line.count),), moves)]
    _write(lowering, equation, line, body, views, names)


def _top_k(lowering: Lowering, equation: Equation) -> None:
    """The largest first, NaN before all, the first of equals first."""
    rank = len(lowering.aval(equation.inputs[0]).shape)
    axis = equation.params.get("axis", -1) % rank
    line = _Line(lowering, equation, axis)
    view = lowering.view(equation.inputs[0])
    values, places = (lowering.allocate(value) for value in equation.outputs)
    shape = lowering.program.values[equation.outputs[0]].shape
    kind = CPP_TYPES[lowering.program.values[equation.outputs[1]].dtype]
    at = line.index(row_major(shape), Extent(), "k")
    moves = [
        f"{values}[{at}] = {line.read(view, f'{line.order}[k]')};",
        f"{places}[{at}] = static_cast<{kind}>({line.order}[k]);",
    ]
    tests = [f"if (ranks_before({line.read(view, 'r')}, {line.read(view, 'l')})) return true;"]
    body = [*line.sort(tests), *nest(("k",), (extent(shape[axis]),), moves)]
    _write(lowering, equation, line, body, [view], [values, places])


def _write(
    lowering: Lowering, equation: Equation, line: _Line, body: list[str], views: list[Load], names: list[str]
) -> None:
    """An output's NaNs are made canonical after the lines."""
    reads = {line.order, *(view.buffer for view in views)}
    lowering.write([lowering.comment(equation), *line.over(body)], reads, set(names))
    for name, value in zip(names, equation.outputs, strict=True):
        lowering.canonicalise(name, value)


ROWS: dict[str, Row] = {
    "sort": Row(_sort, reads=("dimension", "num_keys")),
    "top_k": Row(_top_k, reads=("axis",)),
}
