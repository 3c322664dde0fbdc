"""Row of conv_general_dilated: patches gathered beside each other, then a matrix product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..program import Dimension, Equation
from .contraction import as_result, check_operands, computed, side, sum_dtype, target, workspace
from .extent import ZERO, Extent, extent, product, row_major
from .lowering import Lowering
from .row import Row
from .tree import Load, Strides, merged_stride
from .window import position
from .writer import CPP_TYPES, Block, nest


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
    patch_shape = tuple(walk.size for walk in (*inner, *deep))
    patches = lowering.temporary(sum_dtype(result.dtype), patch_shape)
    lines = _gather(lowering, equation, source, outer, [*inner, *deep], patches, groups)
    name = target(lowering, equation)
    wide = extent(result.shape[out_spec[1]])
    assert wide.fixed is not None and column.fixed is not None, "features are not samples"
    columns = wide.fixed // groups
    m, k = product(walk.size for walk in inner), product(walk.size for walk in deep)
    work = lowering.workspace(workspace(m, extent(columns), k))
    kind = CPP_TYPES[sum_dtype(result.dtype)]
    start = [name] + [f"{w.index} * ({out_strides[w.index].cpp()})" for w in outer]
    first = [right.buffer, *([] if right.offset.is_zero else [right.offset.cpp()])]
    if groups > 1:
        start.append(f"g * ({feature_stride.scaled(columns).cpp()})")
        first.append(f"g * ({column.scaled(columns).cpp()})")
    function = "multiply" if kind == "f32" else "multiply_in_order"
    lines += [
        f"{function}<{lowering.fused}>({m.cpp()}, {columns}, {k.cpp()},",
        f"    Matrix<const {kind}>{{{patches}, {k.cpp()}, 1}},",
        f"    Matrix<const {kind}>{{{' + '.join(first)}, {step.cpp()}, {column.cpp()}}},",
        f"    Matrix<{kind}>{{{' + '.join(start)}, {row.cpp()}, {feature_stride.cpp()}}}, {work});",
    ]
    sizes = tuple(extent(walk.size) for walk in outer)
    lines = nest(tuple(walk.index for walk in outer), sizes, lines)
    lines = nest(("g",), (extent(groups),), lines) if groups > 1 else lines
    lines = lines if outer or groups > 1 else ["{", *("  " + line for line in lines), "}"]
    reads = {source.buffer, right.buffer, patches, work}
    computed(lowering, equation, lines, reads, name)


def _outer(long: list[_Walk], strides: dict[str, Extent]) -> list[_Walk]:
    """As few leading axes as leave the others with one stride; samples in front always."""
    count = 1 if long and long[0].index == "n" else 0
    while True:
        rest = long[count:]
        if merged_stride(tuple(w.size for w in rest), tuple(strides[w.index] for w in rest)) is not None:
            return long[:count]
        count += 1


def _gather(
    lowering: Lowering,
    equation: Equation,
    source: Load,
    outer: list[_Walk],
    walks: list[_Walk],
    patches: str,
    groups: int,
) -> list[str]:
    """Loops that write the patches: element (place, kernel place and channel), zero outside and in holes."""
    params = equation.params
    spec = params["dimension_numbers"]["lhs_spec"]
    shape = lowering.aval(equation.inputs[0]).shape
    kind = CPP_TYPES[source.dtype]
    known = {walk.index for walk in outer}
    after: list[list[str]] = []
    conditions: list[str] = []
    for walk in [None, *walks]:
        here: list[str] = []
        if walk is not None:
            known.add(walk.index)
        for a in range(len(spec) - 2):
            if {f"o{a}", f"k{a}"} <= known and f"p{a}" not in known:
                known.add(f"p{a}")
                size = shape[spec[2 + a]]
                assert isinstance(size, int)
                low, high = params["padding"][a]
                line, check = position(
                    f"p{a}", f"o{a}", f"k{a}", size, params["window_strides"][a],
                    params["rhs_dilation"][a], params["lhs_dilation"][a], low, high,
                )  # fmt: skip
                here.append(line)
                conditions += [check] if check else []
        after.append(here)
    indices = tuple(walk.index for walk in walks)
    strides: Strides = row_major(tuple(walk.size for walk in walks))
    names = ("n", "c", *(f"p{a}" for a in range(len(spec) - 2)))
    known_strides = [source.strides[axis] for axis in spec]
    offset = source.offset
    where = Block(names).index(tuple(known_strides), offset)
    if groups > 1:
        parts = shape[spec[1]] if params["feature_group_count"] > 1 else shape[spec[0]]
        assert isinstance(parts, int)
        axis = spec[1] if params["feature_group_count"] > 1 else spec[0]
        where += f" + g * ({source.strides[axis].scaled(parts // groups).cpp()})"
    read = f"{source.buffer}[{where}]"
    if conditions:
        read = f"{' && '.join(conditions)} ? {read} : {kind}{{}}"
    lines = [f"{patches}[{Block(indices).index(strides, ZERO)}] = {read};"]
    for walk, here in reversed(list(zip(walks, after[1:], strict=True))):
        lines = nest((walk.index,), (extent(walk.size),), [*here, *lines])
    return [*after[0], *lines]


ROWS: dict[str, Row] = {
    "conv_general_dilated": Row(
        _convolution,
        reads=(
            "dimension_numbers", "window_strides", "padding", "lhs_dilation", "rhs_dilation",
            "feature_group_count", "batch_group_count",
        ),
    )
}  # fmt: skip
