"""Rows that move values without computing: most are index maps and cost nothing."""

from __future__ import annotations

from typing import Any

from ..program import Dimension, Equation
from .extent import ONE, ZERO, Extent, extent, product, row_major
from .lowering import Lowering
from .row import Row
from .tree import Count, Load, Strides, Tree, broadcast, buffers, cut, placed, reshape, reverse, transpose
from .writer import CPP_TYPES, Block, braced, has_work, loops, scoped


def _one(lowering: Lowering, equation: Equation) -> tuple[Tree, tuple[Dimension, ...], tuple[Dimension, ...]]:
    """The operand's tree, its shape and the result's."""
    operand = equation.inputs[0]
    result = lowering.program.values[equation.outputs[0]].shape
    return lowering.tree(operand), lowering.aval(operand).shape, result


def _broadcast_in_dim(lowering: Lowering, equation: Equation) -> None:
    tree, shape, to = _one(lowering, equation)
    if has_work(tree) and product(shape) != product(to):
        tree = lowering.stored_tree(tree, shape) if shape else tree
    lowering.define(equation, broadcast(tree, shape, to, tuple(equation.params["broadcast_dimensions"])))


def _reshape(lowering: Lowering, equation: Equation) -> None:
    tree, shape, to = _one(lowering, equation)
    order = equation.params.get("dimensions")
    if order is not None:
        tree, shape = transpose(tree, tuple(order)), tuple(shape[axis] for axis in order)
    moved = reshape(tree, shape, to)
    if moved is None:
        moved = reshape(lowering.stored_tree(tree, shape), shape, to)
    assert moved is not None, "a contiguous array has every shape of its size"
    lowering.define(equation, moved)


def _transpose(lowering: Lowering, equation: Equation) -> None:
    tree, _, _ = _one(lowering, equation)
    lowering.define(equation, transpose(tree, tuple(equation.params["permutation"])))


def _rev(lowering: Lowering, equation: Equation) -> None:
    tree, shape, _ = _one(lowering, equation)
    lowering.define(equation, reverse(tree, shape, tuple(equation.params["dimensions"])))


def _slice(lowering: Lowering, equation: Equation) -> None:
    tree, shape, _ = _one(lowering, equation)
    starts = equation.params["start_indices"]
    if any(not isinstance(start, int) for start in starts):
        raise lowering.refuse(equation, "from a start in samples has no lowering", "keep each sample apart")
    steps = equation.params["strides"] or [1] * len(shape)
    lowering.define(equation, cut(tree, tuple(starts), tuple(steps)))


def _iota(lowering: Lowering, equation: Equation) -> None:
    aval = lowering.program.values[equation.outputs[0]]
    if aval.dtype not in CPP_TYPES:
        raise lowering.refuse(equation, f"of {aval.dtype} has no lowering", "use another dtype here")
    strides = tuple(ONE if axis == equation.params["dimension"] else ZERO for axis in range(len(aval.shape)))
    lowering.trees[equation.outputs[0]] = Count(aval.dtype, strides)


def _split(lowering: Lowering, equation: Equation) -> None:
    tree, shape, _ = _one(lowering, equation)
    tree = lowering.settled(tree, shape)
    axis, start = equation.params["axis"], 0
    for value, size in zip(equation.outputs, equation.params["sizes"], strict=True):
        starts = tuple(start if i == axis else 0 for i in range(len(shape)))
        lowering.trees[value] = cut(tree, starts, (1,) * len(shape))
        start += size


def copied_into(
    lowering: Lowering, name: str, tree: Tree, shape: tuple[Dimension, ...], strides: Strides, offset: str
) -> list[str]:
    """Lines that write a tree into a part of a buffer."""
    prefix = "" if offset == "0" else f"{offset} + "

    def body(_: Block, values: list[str], where: list[str]) -> list[str]:
        return [f"{name}[{prefix}{where[0]}] = {values[0]};"]

    return scoped(loops(shape, [tree], [strides], body))


def _concatenate(lowering: Lowering, equation: Equation) -> None:
    to = lowering.program.values[equation.outputs[0]].shape
    axis, strides = equation.params["dimension"], row_major(to)
    trees = [lowering.tree(operand) for operand in equation.inputs]
    name = lowering.allocate(equation.outputs[0])
    lines: list[str] = []
    start = Extent()
    for operand, tree in zip(equation.inputs, trees, strict=True):
        shape = lowering.aval(operand).shape
        lines += copied_into(lowering, name, tree, shape, strides, (start * strides[axis]).cpp())
        start = start + extent(shape[axis])
    lowering.computed(equation, lines, set().union(*(buffers(tree) for tree in trees)), name, "each")


def _stack(lowering: Lowering, equation: Equation) -> None:
    to, axis = lowering.program.values[equation.outputs[0]].shape, equation.params["axis"]
    trees = [lowering.tree(operand) for operand in equation.inputs]
    name = lowering.allocate(equation.outputs[0])
    strides = row_major(to)
    kept = (*strides[:axis], *strides[axis + 1 :])
    lines: list[str] = []
    for place, (operand, tree) in enumerate(zip(equation.inputs, trees, strict=True)):
        shape = lowering.aval(operand).shape
        lines += copied_into(lowering, name, tree, shape, kept, strides[axis].scaled(place).cpp())
    lowering.computed(equation, lines, set().union(*(buffers(tree) for tree in trees)), name, "each")


def _pad(lowering: Lowering, equation: Equation) -> None:
    tree, shape, to = _one(lowering, equation)
    config: list[list[Any]] = equation.params["padding_config"]
    if any(not isinstance(part, int) for axis in config for part in axis):
        raise lowering.refuse(equation, "by a size in samples has no lowering", "keep each sample apart")
    fill = lowering.tree(equation.inputs[1])
    name = lowering.allocate(equation.outputs[0])
    strides, offset = row_major(to), Extent()
    for axis, (low, high, interior) in enumerate(config):
        size = shape[axis]
        first = max(0, -(-max(0, -low) // (interior + 1)))  # operand elements cut off in front
        if size == "rows" and (low, high, interior) != (0, 0, 0):
            raise lowering.refuse(equation, "along samples has no lowering", "keep each sample apart")
        if size != "rows":
            room = to[axis]
            assert isinstance(room, int)
            end = min(size, (room - 1 - low) // (interior + 1) + 1 if room else 0)
            tree = cut(tree, tuple(first if i == axis else 0 for i in range(len(shape))), (1,) * len(shape))
            shape = (*shape[:axis], max(0, end - first), *shape[axis + 1 :])
        offset = offset + strides[axis].scaled(low + first * (interior + 1))
    steps = tuple(stride.scaled(axis[2] + 1) for stride, axis in zip(strides, config, strict=True))
    lines = copied_into(lowering, name, placed(fill, lambda s, o: ((ZERO,) * len(to), o)), to, strides, "0")
    lowering.write(lines, buffers(fill), {name}, "each")
    lines = copied_into(lowering, name, tree, shape, steps, offset.cpp())
    lowering.computed(equation, lines, buffers(tree), name, "each")


def _starts(
    lowering: Lowering,
    equation: Equation,
    first: int,
    shape: tuple[Dimension, ...],
    part: tuple[Dimension, ...],
) -> tuple[list[str], str, set[str]]:
    """Constants that hold clamped run-time starts, the element offset that they make, buffers read."""
    lines, terms, reads = [], [], set[str]()
    for axis, operand in enumerate(equation.inputs[first:]):
        tree = lowering.tree(operand)
        block = Block((), prefix=f"s{axis}_")
        text = block.value(tree)
        reads |= buffers(tree)
        room = f"{extent(shape[axis]).cpp()} - ({extent(part[axis]).cpp()})"
        lines += [*block.lines, f"const u64 s{axis} = clamped_start({text}, {room});"]
        terms.append(f"s{axis} * ({row_major(shape)[axis].cpp()})")
    return lines, " + ".join(terms) or "0", reads


def _dynamic_slice(lowering: Lowering, equation: Equation) -> None:
    _, shape, to = _one(lowering, equation)
    source = lowering.contiguous(equation.inputs[0])
    lines, offset, reads = _starts(lowering, equation, 1, shape, to)
    name = lowering.allocate(equation.outputs[0])
    moved = Load(f"({source} + {offset})", lowering.aval(equation.inputs[0]).dtype, row_major(shape))
    lines += copied_into(lowering, name, moved, to, row_major(to), "0")
    lowering.computed(equation, braced(lines), reads | {source}, name, "each")


def _dynamic_update_slice(lowering: Lowering, equation: Equation) -> None:
    tree, shape, _ = _one(lowering, equation)
    update, part = lowering.tree(equation.inputs[1]), lowering.aval(equation.inputs[1]).shape
    lines, offset, reads = _starts(lowering, equation, 2, shape, part)
    name = lowering.allocate(equation.outputs[0])
    whole = copied_into(lowering, name, tree, shape, row_major(shape), "0")
    lowering.write(whole, buffers(tree), {name}, "each")
    lines += copied_into(lowering, name, update, part, row_major(shape), offset)
    lowering.computed(equation, braced(lines), reads | buffers(update), name, "each")


ROWS: dict[str, Row] = {
    "broadcast_in_dim": Row(_broadcast_in_dim, reads=("broadcast_dimensions",)),
    "reshape": Row(_reshape, reads=("dimensions",)),
    "squeeze": Row(_reshape),
    "expand_dims": Row(_reshape),
    "transpose": Row(_transpose, reads=("permutation",)),
    "rev": Row(_rev, reads=("dimensions",)),
    "slice": Row(_slice, reads=("start_indices", "strides")),
    "iota": Row(_iota, reads=("dimension",)),
    "split": Row(_split, reads=("axis", "sizes")),
    "concatenate": Row(_concatenate, reads=("dimension",)),
    "stack": Row(_stack, reads=("axis",)),
    "pad": Row(_pad, reads=("padding_config",)),
    "dynamic_slice": Row(_dynamic_slice),
    "dynamic_update_slice": Row(_dynamic_update_slice),
}
