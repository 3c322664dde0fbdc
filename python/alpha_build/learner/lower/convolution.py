"""Row of conv_general_dilated: patches gathered beside each other, then a matrix product."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

from ..program import Dimension, Equation
from .contraction import (
    as_result,
    check_operands,
    computed,
    product_function,
    side,
    sum_dtype,
    target,
    workspace,
)
from .extent import Extent, extent, product, row_major
from .lowering import Lowering
from .movement import copied_into
from .row import Row
from .tree import Load, Scalar, merged_stride
from .writer import CPP_TYPES, braced, nest


@dataclass(frozen=True)
class _Walk:
    """One axis that the patches walk: its loop index, its size and how far it is within the patches."""

    index: str
    size: Dimension


def _plain_numbers(lowering: Lowering, equation: Equation) -> None:
    params = equation.params
    spatial = [
        lowering.aval(equation.inputs[0]).shape[a] for a in params["dimension_numbers"]["lhs_spec"][2:]
    ]
    if "rows" in spatial:
        raise lowering.refuse(equation, "along samples has no lowering", "keep each sample apart")
    check_operands(lowering, equation)


def _convolution(lowering: Lowering, equation: Equation) -> None:
    _plain_numbers(lowering, equation)
    params: dict[str, Any] = equation.params
    numbers = params["dimension_numbers"]
    left_spec, right_spec, out_spec = numbers["lhs_spec"], numbers["rhs_spec"], numbers["out_spec"]
    right_shape = lowering.aval(equation.inputs[1]).shape
    result = lowering.program.values[equation.outputs[0]]
    features, batches = params["feature_group_count"], params["batch_group_count"]
    groups = features * batches  # one of them is 1
    source = as_result(lowering, equation, equation.inputs[0])
    # A kernel's gradient contracts over samples, which then come before the places: see the docs.
    spatial = list(range(len(right_spec) - 2))
    depth_first = left_spec[1] < left_spec[0]
    channel = _Walk("c", right_shape[right_spec[1]])
    windows = [_Walk(f"k{a}", right_shape[right_spec[2 + a]]) for a in spatial]
    deep = [channel, *windows] if depth_first else [*windows, channel]
    right_axes = [right_spec[2 + a] for a in spatial]
    right_axes = [right_spec[1], *right_axes] if depth_first else [*right_axes, right_spec[1]]
    right, (column, step) = side(lowering, equation, 1, [[right_spec[0]], right_axes])
    names = {out_spec[0]: "n", **{out_spec[2 + a]: f"o{a}" for a in spatial}}
    long = [_Walk(names[axis], result.shape[axis]) for axis in range(len(out_spec)) if axis in names]
    out_strides = {names[axis]: row_major(result.shape)[axis] for axis in names}
    feature_stride = row_major(result.shape)[out_spec[1]]
    # What the whole product is looped over: samples where they lie outermost, else what does not merge.
    outer = _outer(long, out_strides)
    inner = long[len(outer) :]
    row = merged_stride(tuple(w.size for w in inner), tuple(out_strides[w.index] for w in inner))
    assert row is not None
    around, low, before = _surrounded(lowering, equation, source)
    walks, along_k = _order(equation, around, inner, deep)
    patches = lowering.temporary(sum_dtype(result.dtype), tuple(walk.size for walk in walks))
    lines = lowering.shared(_gather(lowering, equation, around, low, outer, walks, patches, groups))
    name = target(lowering, equation)
    wide = extent(result.shape[out_spec[1]])
    assert wide.fixed is not None and column.fixed is not None, "features are not samples"
    columns = wide.fixed // groups
    m, k = product(walk.size for walk in inner), product(walk.size for walk in deep)
    work = lowering.workspace(workspace(m, extent(columns), k))
    kind = CPP_TYPES[sum_dtype(result.dtype)]
    layout = f"{k.cpp()}, 1" if along_k else f"1, {m.cpp()}"
    start = [name] + [f"{w.index} * ({out_strides[w.index].cpp()})" for w in outer]
    first = [right.buffer, *([] if right.offset.is_zero else [right.offset.cpp()])]
    if groups > 1:
        start.append(f"g * ({feature_stride.scaled(columns).cpp()})")
        first.append(f"g * ({column.scaled(columns).cpp()})")
    lines += [
        f"{product_function(lowering, kind)}{m.cpp()}, {columns}, {k.cpp()},",
        f"    Matrix<const {kind}>{{{patches}, {layout}}},",
        f"    Matrix<const {kind}>{{{' + '.join(first)}, {step.cpp()}, {column.cpp()}}},",
        f"    Matrix<{kind}>{{{' + '.join(start)}, {row.cpp()}, {feature_stride.cpp()}}}, {work});",
        *lowering.shared([]),
    ]
    sizes = tuple(extent(walk.size) for walk in outer)
    lines = nest(tuple(walk.index for walk in outer), sizes, lines)
    lines = nest(("g",), (extent(groups),), lines) if groups > 1 else lines
    lines = lines if outer or groups > 1 else braced(lines)
    lines = [*before, *lines]
    reads = {source.buffer, around.buffer, right.buffer, patches, work}
    computed(lowering, equation, lines, reads, name)


def _order(
    equation: Equation, source: Load, inner: list[_Walk], deep: list[_Walk]
) -> tuple[list[_Walk], bool]:
    """How the patches lie: place after place, or k after k (False) where places are what lies in a row."""
    spec = equation.params["dimension_numbers"]["lhs_spec"]
    axes = {"n": spec[0], "c": spec[1]}
    axes |= {f"{way}{a}": axis for a, axis in enumerate(spec[2:]) for way in "ok"}

    def run(walks: list[_Walk]) -> int:
        """How many neighbours in memory the innermost walk meets."""
        last = next((walk for walk in reversed(walks) if walk.size != 1), None)
        if last is None or not source.strides[axes[last.index]].is_one:
            return 0
        return last.size if isinstance(last.size, int) else sys.maxsize

    if run(inner) > run(deep):
        return [*deep, *inner], False
    return [*inner, *deep], True


def _outer(long: list[_Walk], strides: dict[str, Extent]) -> list[_Walk]:
    """As few leading axes as leave the others with one stride; samples in front always."""
    count = 1 if long and long[0].index == "n" else 0
    while True:
        rest = long[count:]
        if merged_stride(tuple(w.size for w in rest), tuple(strides[w.index] for w in rest)) is not None:
            return long[:count]
        count += 1


def _surrounded(lowering: Lowering, equation: Equation, source: Load) -> tuple[Load, list[int], list[str]]:
    """The operand with its padding and holes in memory where there are any, how far in front of its first
    element each spatial axis begins, and the lines that write it."""
    params = equation.params
    spec = params["dimension_numbers"]["lhs_spec"]
    shape = lowering.aval(equation.inputs[0]).shape
    spatial = list(zip(spec[2:], params["padding"], params["lhs_dilation"], strict=True))
    low = [max(0, before) for _, (before, _), _ in spatial]
    if all(before <= 0 and after <= 0 and hole == 1 for _, (before, after), hole in spatial):
        return source, low, []
    around = list(shape)
    for (axis, (_, after), hole), front in zip(spatial, low, strict=True):
        size = shape[axis]
        assert isinstance(size, int), "space is not samples"
        around[axis] = front + max(0, (size - 1) * hole + 1) + max(0, after)
    name = lowering.temporary(source.dtype, tuple(around))
    strides = row_major(tuple(around))
    steps, start = list(strides), Extent()
    for (axis, _, hole), front in zip(spatial, low, strict=True):
        steps[axis] = strides[axis].scaled(hole)
        start = start + strides[axis].scaled(front)
    zero = Scalar(f"{CPP_TYPES[source.dtype]}{{}}", source.dtype)
    lines = lowering.shared(copied_into(lowering, name, zero, tuple(around), strides, "0"))
    lines += lowering.shared(copied_into(lowering, name, source, shape, tuple(steps), start.cpp()))
    return Load(name, source.dtype, strides), low, lines


def _gather(
    lowering: Lowering,
    equation: Equation,
    source: Load,
    low: list[int],
    outer: list[_Walk],
    walks: list[_Walk],
    patches: str,
    groups: int,
) -> list[str]:
    """Loops that write the patches: element (place, kernel place and channel), of what _surrounded gives."""
    params = equation.params
    spec = params["dimension_numbers"]["lhs_spec"]
    shape = lowering.aval(equation.inputs[0]).shape
    steps = {"n": source.strides[spec[0]], "c": source.strides[spec[1]]}
    offset = source.offset
    for a, axis in enumerate(spec[2:]):
        steps[f"o{a}"] = source.strides[axis].scaled(params["window_strides"][a])
        steps[f"k{a}"] = source.strides[axis].scaled(params["rhs_dilation"][a])
        # Where padding is negative, windows begin inside the operand.
        offset = offset + source.strides[axis].scaled(low[a] - params["padding"][a][0])
    start = [source.buffer, *([] if offset.is_zero else [offset.cpp()])]
    start += [f"{walk.index} * ({steps[walk.index].cpp()})" for walk in outer]
    if groups > 1:
        axis = spec[1] if params["feature_group_count"] > 1 else spec[0]
        parts = shape[axis]
        assert isinstance(parts, int)
        start.append(f"g * ({source.strides[axis].scaled(parts // groups).cpp()})")
    walked = tuple(walk.size for walk in walks)
    moved = Load("from", source.dtype, tuple(steps[walk.index] for walk in walks))
    kind = CPP_TYPES[source.dtype]
    lines = copied_into(lowering, patches, moved, walked, row_major(walked), "0")
    return [f"const {kind}* const from = {' + '.join(start)};", *lines]


ROWS: dict[str, Row] = {
    "conv_general_dilated": Row(
        _convolution,
        reads=(
            "dimension_numbers", "window_strides", "padding", "lhs_dilation", "rhs_dilation",
            "feature_group_count", "batch_group_count",
        ),
    )
}  # fmt: skip
