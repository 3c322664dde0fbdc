"""Rows of gather and scatter: run-time indices, clamped, filled or dropped as JAX does, in order."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..program import Aval, Dimension, Equation
from .extent import Extent, extent, row_major
from .lowering import Lowering
from .row import Row
from .tree import Load, Strides, Tree, buffers, placed
from .writer import CPP_TYPES, Block, braced, kind_of, literal, loops, nest, scoped


@dataclass(frozen=True)
class _Indexing:
    """Axes of a gather or scatter, by what they do: `array` is the operand, `many` the result or updates."""

    array_shape: tuple[Dimension, ...]
    many_shape: tuple[Dimension, ...]
    window_axes: list[int]  # of `many`: they walk a window
    batch_axes: list[int]  # of `many`: they choose an index vector
    window_of: list[int]  # axes of the array that windows walk
    mapped: list[int]  # axes of the array that index vectors choose
    paired: list[int]  # axes of the array that go with batch axes
    paired_index: list[int]  # axes of the indices that they go with
    mode: str

    def window(self, axis: int) -> Extent:
        """Size of a window along an axis of the array."""
        if axis in self.window_of:
            return extent(self.many_shape[self.window_axes[self.window_of.index(axis)]])
        return Extent((1,))


# A promise to stay in bounds is kept for the user: reads are clamped, and updates from outside add nothing.
_GATHER_MODES = {"CLIP": "CLIP", "FILL_OR_DROP": "FILL_OR_DROP", "PROMISE_IN_BOUNDS": "CLIP"}
_SCATTER_MODES = {"CLIP": "CLIP", "FILL_OR_DROP": "FILL_OR_DROP", "PROMISE_IN_BOUNDS": "FILL_OR_DROP"}


def _gathering(lowering: Lowering, equation: Equation) -> _Indexing:
    numbers = equation.params["dimension_numbers"]
    shapes = [lowering.aval(operand).shape for operand in equation.inputs]
    many = lowering.program.values[equation.outputs[0]].shape
    return _indexing(
        lowering, equation, _GATHER_MODES, shapes[0], many, numbers["offset_dims"],
        numbers["collapsed_slice_dims"], numbers["start_index_map"], numbers["operand_batching_dims"],
        numbers["start_indices_batching_dims"],
    )  # fmt: skip


def _scattering(lowering: Lowering, equation: Equation) -> _Indexing:
    numbers = equation.params["dimension_numbers"]
    shapes = [lowering.aval(operand).shape for operand in equation.inputs]
    return _indexing(
        lowering, equation, _SCATTER_MODES, shapes[0], shapes[2], numbers["update_window_dims"],
        numbers["inserted_window_dims"], numbers["scatter_dims_to_operand_dims"],
        numbers["operand_batching_dims"], numbers["scatter_indices_batching_dims"],
    )  # fmt: skip


def _indexing(
    lowering: Lowering,
    equation: Equation,
    modes: dict[str, str],
    array: tuple[Dimension, ...],
    many: tuple[Dimension, ...],
    window_axes: list[int],
    dropped: list[int],
    mapped: list[int],
    paired: list[int],
    paired_index: list[int],
) -> _Indexing:
    given = equation.params["mode"]
    mode = modes.get(given)
    if mode is None:
        raise lowering.refuse(
            equation, f"with mode {given} has no lowering", "use mode='fill' or mode='clip'"
        )
    window_of = [axis for axis in range(len(array)) if axis not in (*dropped, *paired)]
    batch_axes = [axis for axis in range(len(many)) if axis not in window_axes]
    return _Indexing(
        array,
        many,
        list(window_axes),
        batch_axes,
        window_of,
        list(mapped),
        list(paired),
        list(paired_index),
        mode,
    )


def _starts(plan: _Indexing, indices: Tree, batch: tuple[str, ...]) -> tuple[list[str], str]:
    """Constants p0, p1, ... with each chosen axis's start, and the text of whether all lie inside."""
    lines: list[str] = []
    conditions: list[str] = []
    block = Block(batch, prefix="s")
    texts = [block.value(placed(indices, _component(position))) for position in range(len(plan.mapped))]
    lines += block.lines
    for position, (axis, text) in enumerate(zip(plan.mapped, texts, strict=True)):
        room = (extent(plan.array_shape[axis]) + plan.window(axis).scaled(-1)).cpp()
        if plan.mode == "FILL_OR_DROP":
            lines.append(f"const i64 p{position} = static_cast<i64>({text});")
            conditions.append(f"starts_inside(p{position}, {room})")
        else:
            lines.append(f"const u64 p{position} = clamped_start({text}, {room});")
    return lines, " && ".join(conditions)


def _component(position: int) -> Any:
    def placing(strides: Strides, offset: Extent) -> tuple[Strides, Extent]:
        return strides[:-1], offset + strides[-1].scaled(position)

    return placing


def _array_index(plan: _Indexing, strides: Strides, batch: tuple[str, ...]) -> list[str]:
    """Terms of the array's element index that are the same within a window."""
    terms = []
    for position, axis in enumerate(plan.mapped):
        start = f"static_cast<u64>(p{position})" if plan.mode == "FILL_OR_DROP" else f"p{position}"
        terms.append(f"{start} * ({strides[axis].cpp()})")
    for axis, index_axis in zip(plan.paired, plan.paired_index, strict=True):
        terms.append(f"{batch[index_axis]} * ({strides[axis].cpp()})")
    return terms


def _batch(plan: _Indexing) -> tuple[tuple[str, ...], tuple[Extent, ...]]:
    sizes = tuple(extent(plan.many_shape[axis]) for axis in plan.batch_axes)
    return tuple(f"b{i}" for i in range(len(sizes))), sizes


def _pieces(plan: _Indexing, strides: Strides, batch: tuple[str, ...]) -> str:
    return " + ".join(
        f"{name} * ({strides[axis].cpp()})" for name, axis in zip(batch, plan.batch_axes, strict=True)
    )


def _gather(lowering: Lowering, equation: Equation) -> None:
    plan = _gathering(lowering, equation)
    view = lowering.view(equation.inputs[0])
    indices = lowering.tree(equation.inputs[1])
    value = equation.outputs[0]
    result = lowering.program.values[value]
    target = lowering.allocate(value)
    batch, sizes = _batch(plan)
    lines, inside = _starts(plan, indices, batch)
    here = " + ".join(_array_index(plan, view.strides, batch)) or "0"
    there = _pieces(plan, row_major(result.shape), batch) or "0"
    lines += [f"const u64 from = {here};", f"const u64 to = {there};"]
    if inside:
        lines.append(f"const bool inside = {inside};")
    window = tuple(result.shape[axis] for axis in plan.window_axes)
    load = Load(view.buffer, view.dtype, tuple(view.strides[a] for a in plan.window_of), view.offset)
    store = tuple(row_major(result.shape)[axis] for axis in plan.window_axes)

    def body(_: Block, values: list[str], where: list[str]) -> list[str]:
        read = values[0].replace("[", "[from + ", 1)
        text = f"inside ? {read} : {_fill(result, equation.params.get('fill_value'))}" if inside else read
        return [f"{target}[to + {where[0]}] = {text};"]

    lines += loops(window, [load], [store], body, name="o")
    reads = buffers(indices) | {view.buffer}
    lowering.computed(equation, nest(batch, sizes, _braced(batch, lines)), reads, target, "each")


def _braced(batch: tuple[str, ...], lines: list[str]) -> list[str]:
    return lines if batch else braced(lines)


def _fill(aval: Aval, given: Any) -> str:
    kind = kind_of(aval.dtype)
    value: Any = given
    if given is None:
        value = {"float": math.nan, "boolean": True}.get(kind)
    if kind == "float":
        wide = np.asarray(value, "float64" if aval.dtype == "float64" else "float32")
        text = literal(wide.dtype.name, wide.tobytes())
        return text if aval.dtype == wide.dtype.name else f"{CPP_TYPES[aval.dtype]}({text})"
    dtype = np.dtype(aval.dtype)
    if value is None:
        value = np.iinfo(dtype).min if dtype.kind == "i" else np.iinfo(dtype).max
    return literal(aval.dtype, np.asarray(value).astype(dtype).tobytes())


_UPDATES = {
    "scatter": ("{1}", "{1}", "{1}"),
    "scatter-add": ("{0} + {1}", "wrapping_add({0}, {1})", "{0} || {1}"),
    "scatter-sub": ("{0} - {1}", "wrapping_subtract({0}, {1})", None),
    "scatter-mul": ("{0} * {1}", "wrapping_multiply({0}, {1})", "{0} && {1}"),
    "scatter-max": ("maximum({0}, {1})", "maximum({0}, {1})", "{0} || {1}"),
    "scatter-min": ("minimum({0}, {1})", "minimum({0}, {1})", "{0} && {1}"),
}


def _scatter(lowering: Lowering, equation: Equation) -> None:
    plan = _scattering(lowering, equation)
    value = equation.outputs[0]
    result = lowering.program.values[value]
    floating, integer, boolean = _UPDATES[equation.primitive]
    templates = {"float": floating, "int": integer, "uint": integer, "boolean": boolean}
    template = templates.get(kind_of(result.dtype))
    if template is None or result.dtype not in CPP_TYPES:
        raise lowering.refuse(equation, f"on {result.dtype} has no lowering", "use another dtype here")
    start, indices = lowering.tree(equation.inputs[0]), lowering.tree(equation.inputs[1])
    updates = lowering.tree(equation.inputs[2])
    target = lowering.allocate(value)
    strides = row_major(result.shape)

    def copy(_: Block, values: list[str], where: list[str]) -> list[str]:
        return [f"{target}[{where[0]}] = {values[0]};"]

    batch, sizes = _batch(plan)
    head, inside = _starts(plan, indices, batch)
    here = " + ".join(_array_index(plan, strides, batch)) or "0"
    head.append(f"const u64 to = {here};")
    inner = _window_lines(plan, updates, batch, target, strides, template)
    if inside:
        inner = [f"if ({inside}) {{", *("  " + line for line in inner), "}"]
    lowering.write(scoped(loops(result.shape, [start], [strides], copy)), buffers(start), {target}, "each")
    lines = nest(batch, sizes, _braced(batch, [*head, *inner]))
    lowering.computed(equation, lines, buffers(indices) | buffers(updates), target)


def _window_lines(
    plan: _Indexing, updates: Tree, batch: tuple[str, ...], target: str, strides: Strides, template: str
) -> list[str]:
    """Loops over one window, in row-major order: equal indices meet in ascending order."""
    window = tuple(plan.many_shape[axis] for axis in plan.window_axes)
    inner = tuple(f"o{i}" for i in range(len(window)))
    names = dict(zip((*plan.batch_axes, *plan.window_axes), (*batch, *inner), strict=True))
    block = Block(tuple(names[axis] for axis in range(len(plan.many_shape))))
    text = block.value(updates)
    place = Block(inner).index(tuple(strides[a] for a in plan.window_of), Extent())
    cell = f"{target}[to + {place}]"
    lines = [*block.lines, f"{cell} = {template.format(cell, text)};"]
    return nest(inner, tuple(extent(size) for size in window), lines)


ROWS: dict[str, Row] = {
    "gather": Row(_gather, reads=("dimension_numbers", "mode", "fill_value")),
    **{name: Row(_scatter, reads=("dimension_numbers", "mode")) for name in _UPDATES},
}
