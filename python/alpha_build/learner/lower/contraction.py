"""Row of dot_general: a blocked matrix product over strided operands, k in the declared order."""

from __future__ import annotations

from collections.abc import Sequence

from ..program import Dimension, Equation, Operand
from .extent import Extent, extent, product, row_major
from .lowering import Lowering
from .row import Row
from .tree import Apply, Load, Tree, merged_stride, transpose
from .writer import CPP_TYPES, nest

# What learner/matrix.h packs: kPart, kPanelColumns, kPanelRows and kStrip there.
PART, PANEL_COLUMNS, PANEL_ROWS, STRIP = 256, 1024, 240, 96


def workspace(m: Extent, n: Extent, k: Extent) -> int:
    """f32 elements that a product of m x k and k x n packs its operands into, for any number of rows."""
    ways = (
        _at_most(columns, PANEL_COLUMNS, STRIP) + _at_most(rows, PANEL_ROWS, STRIP)
        for columns, rows in ((n, m), (m, n))  # which way round is found at run time
    )
    return max(ways) * _at_most(k, PART, 1)


def _at_most(size: Extent, bound: int, unit: int) -> int:
    if size.fixed is None:
        return bound
    return min(bound, -(-size.fixed // unit) * unit)


def check_operands(lowering: Lowering, equation: Equation) -> None:
    dtypes = {lowering.aval(operand).dtype for operand in equation.inputs}
    result = lowering.program.values[equation.outputs[0]].dtype
    if not {*dtypes, result} <= CPP_TYPES.keys():
        what = f"of {' and '.join(sorted(dtypes))} to {result} has no lowering"
        raise lowering.refuse(equation, what, "use one dtype of numbers")


def as_result(lowering: Lowering, equation: Equation, operand: Operand) -> Load:
    """An operand in memory, in the type that products are added in: the result's, f32 for 16 bits."""
    to, aval = sum_dtype(lowering.program.values[equation.outputs[0]].dtype), lowering.aval(operand)
    if aval.dtype == to:
        return lowering.view(operand)
    return lowering.stored_tree(_converted(lowering.tree(operand), to), aval.shape)


def product_function(lowering: Lowering, kind: str) -> str:
    """What multiplies matrices of an element type, up to its own arguments."""
    name = "multiply" if kind == "f32" else "multiply_in_order"
    return f"{name}<{lowering.fused}>({lowering.grid}"


def sum_dtype(dtype: str) -> str:
    return "float32" if dtype in ("bfloat16", "float16") else dtype


def _converted(tree: Tree, to: str) -> Tree:
    return Apply(f"convert<{CPP_TYPES[to]}>({{0}})", to, (tree,))


def target(lowering: Lowering, equation: Equation) -> str:
    """Memory that sums go to: the result's own, or f32 beside it."""
    value = equation.outputs[0]
    aval = lowering.program.values[value]
    if sum_dtype(aval.dtype) == aval.dtype:
        return lowering.allocate(value)
    return lowering.temporary("float32", aval.shape)


def _placed(
    lowering: Lowering, equation: Equation, groups: Sequence[Sequence[int]]
) -> tuple[str, list[Extent]]:
    """The same, and a stride for each group of the result's axes; if only a transpose reads the result, it
    is laid out as that wants it."""
    value = equation.outputs[0]
    aval = lowering.program.values[value]
    turned = lowering.turned(value) if sum_dtype(aval.dtype) == aval.dtype else None
    if turned is not None:
        moved, strides = turned
        merged = _merged(Load("", aval.dtype, strides), aval.shape, groups)
        if merged is not None:
            name = lowering.allocate(moved)
            lowering.trees[value] = Load(name, aval.dtype, strides)
            return name, merged
    plain = _merged(Load("", aval.dtype, row_major(aval.shape)), aval.shape, groups)
    assert plain is not None, "neighbouring axes of a contiguous array merge"
    return target(lowering, equation), plain


def computed(lowering: Lowering, equation: Equation, lines: list[str], reads: set[str], name: str) -> None:
    """Lines by which all threads fill the target; what is f32 beside the result is then rounded to it."""
    aval = lowering.program.values[equation.outputs[0]]
    if sum_dtype(aval.dtype) == aval.dtype:
        lowering.computed(equation, lines, reads, name, "all")
        return
    lowering.write([lowering.comment(equation), *lines], reads, {name}, "all")
    lowering.define(equation, _converted(Load(name, "float32", row_major(aval.shape)), aval.dtype))


def side(
    lowering: Lowering, equation: Equation, position: int, groups: Sequence[Sequence[int]]
) -> tuple[Load, list[Extent]]:
    """One operand with a single stride for each group of axes; copied to that order where it has none."""
    operand = equation.inputs[position]
    shape = lowering.aval(operand).shape
    view = as_result(lowering, equation, operand)
    strides = _merged(view, shape, groups)
    if strides is None:
        order = tuple(axis for group in groups for axis in group)
        moved = tuple(shape[axis] for axis in order)
        view = lowering.stored_tree(transpose(view, order), moved)
        starts = [sum(len(g) for g in groups[:i]) for i in range(len(groups))]
        placed = [list(range(start, start + len(g))) for start, g in zip(starts, groups, strict=True)]
        strides = _merged(view, moved, placed)
        assert strides is not None, "a contiguous copy has one stride a group"
    return view, strides


def _merged(view: Load, shape: tuple[Dimension, ...], groups: Sequence[Sequence[int]]) -> list[Extent] | None:
    merged = [merged_stride(tuple(shape[a] for a in g), tuple(view.strides[a] for a in g)) for g in groups]
    found = [stride for stride in merged if stride is not None and not stride.is_backwards]
    return found if len(found) == len(merged) else None


def _dot_general(lowering: Lowering, equation: Equation) -> None:
    (left_k, right_k), (left_batch, right_batch) = equation.params["dimension_numbers"]
    shapes = [lowering.aval(operand).shape for operand in equation.inputs]
    result = lowering.program.values[equation.outputs[0]]
    check_operands(lowering, equation)
    left_free = [a for a in range(len(shapes[0])) if a not in (*left_k, *left_batch)]
    right_free = [a for a in range(len(shapes[1])) if a not in (*right_k, *right_batch)]
    left, (left_row, left_step, *left_jump) = side(
        lowering, equation, 0, [left_free, left_k, *([a] for a in left_batch)]
    )
    right, (right_column, right_step, *right_jump) = side(
        lowering, equation, 1, [right_free, right_k, *([a] for a in right_batch)]
    )
    batch, free = len(left_batch), len(left_batch) + len(left_free)
    axes = [range(batch, free), range(free, len(result.shape)), *([a] for a in range(batch))]
    name, (row, column, *jump) = _placed(lowering, equation, axes)
    kind = CPP_TYPES[sum_dtype(result.dtype)]
    m = product(shapes[0][axis] for axis in left_free)
    n = product(shapes[1][axis] for axis in right_free)
    k = product(shapes[0][axis] for axis in left_k)
    sizes = tuple(extent(shapes[0][axis]) for axis in left_batch)
    indices = tuple(f"b{i}" for i in range(len(sizes)))

    def at(buffer: str, offset: Extent, jumps: Sequence[Extent]) -> str:
        terms = [buffer, *([] if offset.is_zero else [offset.cpp()])]
        return " + ".join(terms + [f"{i} * ({j.cpp()})" for i, j in zip(indices, jumps, strict=True)])

    work = lowering.workspace(workspace(m, n, k))
    a = f"{{{at(left.buffer, left.offset, left_jump)}, {left_row.cpp()}, {left_step.cpp()}}}"
    b = f"{{{at(right.buffer, right.offset, right_jump)}, {right_step.cpp()}, {right_column.cpp()}}}"
    c = f"{{{at(name, Extent(), jump)}, {row.cpp()}, {column.cpp()}}}"
    call = [
        f"{product_function(lowering, kind)}{m.cpp()}, {n.cpp()}, {k.cpp()}, Matrix<const {kind}>{a},",
        f"    Matrix<const {kind}>{b}, Matrix<{kind}>{c}, {work});",
    ]
    computed(lowering, equation, nest(indices, sizes, call), {left.buffer, right.buffer, work}, name)


ROWS: dict[str, Row] = {"dot_general": Row(_dot_general, reads=("dimension_numbers",))}
