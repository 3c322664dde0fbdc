"""Rows that slide windows: sums, maxima and minima in window order, and what their gradients need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..program import Dimension, Equation
from .extent import Extent, extent, product, row_major
from .lowering import Lowering
from .row import Row
from .tree import Load
from .writer import CPP_TYPES, SUM_TYPES, Block, kind_of, nest, scoped


def position(
    name: str, place: str, window: str, size: int, stride: int, step: int, hole: int, low: int, high: int
) -> tuple[str, str | None]:
    """A line that defines where a window reads along one axis, and the test of whether that is inside;
    no test where every window lies inside."""
    walked = f"{_times(place, stride)} + {_times(window, step)}"
    if low <= 0 and high <= 0 and hole == 1:
        return f"const u64 {name} = {walked}{f' + {-low}' if low else ''};", None
    return f"const u64 {name} = window_position({walked}, {low}, {hole});", f"{name} < {size}"


def _times(name: str, factor: int) -> str:
    return name if factor == 1 else f"{name} * {factor}"


_UNROLLED = 4  # a window of at most so many along an axis


@dataclass(frozen=True)
class Window:
    """Loops of a windowed row: places of the result, then one window, and where each reads."""

    places: tuple[str, ...]
    window: tuple[str, ...]
    window_sizes: tuple[Extent, ...]
    lines: list[str]
    inside: str
    indices: tuple[str, ...]  # into the operand

    def over(self, body: list[str]) -> list[str]:
        """The loops of one window around `body`, entered where it reads inside the operand."""
        if self.inside:
            body = [f"if ({self.inside}) {{", *("  " + line for line in body), "}"]
            return nest(self.window, self.window_sizes, [*self.lines, *body])
        lines = [*self.lines, *body]
        for index, size in reversed(list(zip(self.window, self.window_sizes, strict=True))):
            lines = nest((index,), (size,), lines)
            if size.fixed is not None and size.fixed <= _UNROLLED:  # so that places become vectors
                lines = [f"#pragma GCC unroll {size.fixed}", *lines]
        return lines

    def reading(self, view: Load) -> str:
        return f"{view.buffer}[{Block(self.indices).index(view.strides, view.offset)}]"


def window_of(lowering: Lowering, equation: Equation, shape: tuple[Dimension, ...]) -> Window:
    params: dict[str, Any] = equation.params
    ones = [1] * len(shape)
    bases, steps = params.get("base_dilation", ones), params.get("window_dilation", ones)
    lines, conditions, indices, window, sizes = [], [], [], [], []
    for axis, size in enumerate(shape):
        width, stride = params["window_dimensions"][axis], params["window_strides"][axis]
        low, high = params["padding"][axis]
        if (width, stride, low, high, bases[axis]) == (1, 1, 0, 0, 1):
            indices.append(f"o{axis}")
            continue
        if size == "rows":
            raise lowering.refuse(equation, "along samples has no lowering", "keep each sample apart")
        window.append(f"k{axis}")
        sizes.append(extent(width))
        line, check = position(
            f"p{axis}", f"o{axis}", f"k{axis}", size, stride, steps[axis], bases[axis], low, high
        )
        lines.append(line)
        conditions += [check] if check else []
        indices.append(f"p{axis}")
    places = tuple(f"o{axis}" for axis in range(len(shape)))
    return Window(places, tuple(window), tuple(sizes), lines, " && ".join(conditions), tuple(indices))


def _numbers(lowering: Lowering, equation: Equation, dtype: str, kinds: tuple[str, ...]) -> str:
    if dtype not in CPP_TYPES or kind_of(dtype) not in kinds:
        raise lowering.refuse(equation, f"on {dtype} has no lowering", "use another dtype here")
    return CPP_TYPES[dtype]


def _reduce_window(of: str, kinds: tuple[str, ...]) -> Row:
    """Each window from the identity on, in row-major order of its places."""

    def lower(lowering: Lowering, equation: Equation) -> None:
        (operand,) = equation.inputs
        aval = lowering.aval(operand)
        _numbers(lowering, equation, aval.dtype, kinds)
        kind = SUM_TYPES[aval.dtype]
        window = window_of(lowering, equation, aval.shape)
        view = lowering.view(operand)
        value = equation.outputs[0]
        to = lowering.program.values[value].shape
        name = lowering.allocate(value)
        body = [
            f"{kind} value = {of}<{kind}>::kIdentity;",
            *window.over([f"value = {of}<{kind}>::meet(value, {window.reading(view)});"]),
            f"{name}[{row_major_index(window.places, to)}] = value;",
        ]
        lines = nest(window.places, tuple(extent(size) for size in to), body)
        lowering.computed(equation, scoped(lines), {view.buffer}, name, "each" if to else "one")

    return Row(
        lower, reads=("window_dimensions", "window_strides", "padding", "base_dilation", "window_dilation")
    )


def row_major_index(indices: tuple[str, ...], shape: tuple[Dimension, ...]) -> str:
    return Block(indices).index(row_major(shape), Extent())


def _chosen(window: Window, read: str, kind: str, primitive: str, at: str) -> list[str]:
    """Lines that find the window's choice: its element index within the operand in `best`."""
    keep = ">=" if primitive == "ge" else "<="
    return [
        f"{kind} chosen{{}};",
        "u64 best = ~u64{0};",
        *window.over(
            [
                f"const {kind} next = {read};",
                f"if (best == ~u64{{0}} || !(chosen {keep} next)) {{",
                "  chosen = next;",
                f"  best = {at};",
                "}",
            ]
        ),
    ]


def _select_and_scatter_add(lowering: Lowering, equation: Equation) -> None:
    """Each window adds its source to the place that it chose, windows in row-major order."""
    source, operand = equation.inputs
    aval = lowering.aval(operand)
    kind = _numbers(lowering, equation, aval.dtype, ("float", "int", "uint"))
    window = window_of(lowering, equation, aval.shape)
    view, given = lowering.view(operand), lowering.view(source)
    value = equation.outputs[0]
    to, places = lowering.program.values[value].shape, lowering.aval(source).shape
    name = lowering.allocate(value)
    at = row_major_index(window.indices, to)
    read = f"{given.buffer}[{Block(window.places).index(given.strides, given.offset)}]"
    body = [
        *_chosen(window, window.reading(view), kind, equation.params["select_prim"], at),
        f"if (best != ~u64{{0}}) {name}[best] = SumOf<{kind}>::meet({name}[best], {read});",
    ]
    lowering.write(nest(("i",), (product(to),), [f"{name}[i] = 0;"]), set(), {name}, "each")
    lines = scoped(nest(window.places, tuple(extent(size) for size in places), body))
    lowering.computed(equation, lines, {view.buffer, given.buffer}, name)


def _select_and_gather_add(lowering: Lowering, equation: Equation) -> None:
    """The tangent at the place that each window chose."""
    tangents, operand = equation.inputs
    aval = lowering.aval(operand)
    kind = _numbers(lowering, equation, aval.dtype, ("float", "int", "uint"))
    window = window_of(lowering, equation, aval.shape)
    view, given = lowering.view(operand), lowering.contiguous(tangents)
    value = equation.outputs[0]
    to = lowering.program.values[value].shape
    name = lowering.allocate(value)
    body = [
        *_chosen(
            window, window.reading(view), kind, equation.params["select_prim"],
            row_major_index(window.indices, aval.shape),
        ),
        f"{name}[{row_major_index(window.places, to)}] = best == ~u64{{0}} ? {kind}{{0}} : {given}[best];",
    ]  # fmt: skip
    lines = scoped(nest(window.places, tuple(extent(size) for size in to), body))
    lowering.computed(equation, lines, {view.buffer, given}, name, "each" if to else "one")


_SELECTING = ("select_prim", "window_dimensions", "window_strides", "padding")
_DILATED = ("base_dilation", "window_dilation")
_NUMBERS = ("float", "int", "uint")
ROWS: dict[str, Row] = {
    "reduce_window_sum": _reduce_window("SumOf", _NUMBERS),
    "reduce_window_max": _reduce_window("MaximumOf", (*_NUMBERS, "boolean")),
    "reduce_window_min": _reduce_window("MinimumOf", (*_NUMBERS, "boolean")),
    "select_and_scatter_add": Row(_select_and_scatter_add, reads=_SELECTING),
    "select_and_gather_add": Row(_select_and_gather_add, reads=(*_SELECTING, *_DILATED)),
}
