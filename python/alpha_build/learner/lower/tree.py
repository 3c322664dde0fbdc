"""What a value is before it has a place in memory: a tree of element-wise operations over strided loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ..program import Dimension
from .extent import ONE, ZERO, Extent, extent, product, row_major

Strides = tuple[Extent, ...]


@dataclass(frozen=True, eq=False)
class Load:
    """Element `offset + sum(index * stride)` of a buffer."""

    buffer: str
    dtype: str
    strides: Strides
    offset: Extent = ZERO


@dataclass(frozen=True, eq=False)
class Scalar:
    """A literal or a local variable: the same at every index."""

    text: str
    dtype: str


@dataclass(frozen=True, eq=False)
class Count:
    """The number `offset + sum(index * stride)` itself: iota and what is cut from it."""

    dtype: str
    strides: Strides
    offset: Extent = ZERO


@dataclass(frozen=True, eq=False)
class Apply:
    """A C++ expression with {0}, {1}, ... for its operands, all read at the same index."""

    template: str
    dtype: str
    operands: tuple[Tree, ...]


Tree = Load | Scalar | Count | Apply
Placing = Callable[[Strides, Extent], tuple[Strides, Extent]]


def leaves(tree: Tree) -> Iterator[Load | Count]:
    """Every strided leaf."""
    if isinstance(tree, Apply):
        for operand in tree.operands:
            yield from leaves(operand)
    elif not isinstance(tree, Scalar):
        yield tree


def buffers(tree: Tree) -> set[str]:
    return {leaf.buffer for leaf in leaves(tree) if isinstance(leaf, Load)}


def scalars(tree: Tree) -> set[str]:
    """Texts of the scalars that a tree reads: names of local variables, and literals."""
    if isinstance(tree, Apply):
        return set().union(*(scalars(operand) for operand in tree.operands))
    return {tree.text} if isinstance(tree, Scalar) else set()


def placed(tree: Tree, placing: Placing) -> Tree:
    """The tree over another index space: each leaf's strides and offset are mapped."""
    if isinstance(tree, Apply):
        return replace(tree, operands=tuple(placed(operand, placing) for operand in tree.operands))
    if isinstance(tree, Scalar):
        return tree
    strides, offset = placing(tree.strides, tree.offset)
    return replace(tree, strides=strides, offset=offset)


def broadcast(
    tree: Tree, shape: tuple[Dimension, ...], to: tuple[Dimension, ...], axes: tuple[int, ...]
) -> Tree:
    """Axis i of `shape` becomes axis axes[i] of `to`; sizes of 1 and new axes do not move the load."""

    def placing(strides: Strides, offset: Extent) -> tuple[Strides, Extent]:
        moved = [ZERO] * len(to)
        for axis, stride, size in zip(axes, strides, shape, strict=True):
            moved[axis] = ZERO if size == 1 else stride
        return tuple(moved), offset

    return placed(tree, placing)


def transpose(tree: Tree, permutation: tuple[int, ...]) -> Tree:
    return placed(tree, lambda strides, offset: (tuple(strides[axis] for axis in permutation), offset))


def cut(tree: Tree, starts: tuple[int, ...], steps: tuple[int, ...]) -> Tree:
    """A slice: index i reads starts + i * steps."""

    def placing(strides: Strides, offset: Extent) -> tuple[Strides, Extent]:
        for stride, start in zip(strides, starts, strict=True):
            offset = offset + stride.scaled(start)
        return tuple(stride.scaled(step) for stride, step in zip(strides, steps, strict=True)), offset

    return placed(tree, placing)


def reverse(tree: Tree, shape: tuple[Dimension, ...], axes: tuple[int, ...]) -> Tree:
    def placing(strides: Strides, offset: Extent) -> tuple[Strides, Extent]:
        turned = list(strides)
        for axis in axes:
            offset = offset + strides[axis] * (extent(shape[axis]) + Extent((-1,)))
            turned[axis] = strides[axis].scaled(-1)
        return tuple(turned), offset

    return placed(tree, placing)


def reshape(tree: Tree, shape: tuple[Dimension, ...], to: tuple[Dimension, ...]) -> Tree | None:
    """The tree over another shape of as many elements, or None where a leaf's strides do not allow it."""
    if product(shape).is_zero:
        return placed(tree, lambda strides, offset: (row_major(to), offset))
    groups = _groups(shape, to)
    if groups is None:
        return None
    maps = {id(leaf): _regroup(leaf.strides, shape, to, groups) for leaf in leaves(tree)}
    if any(strides is None for strides in maps.values()):
        return None

    def mapped(node: Tree) -> Tree:
        if isinstance(node, Apply):
            return replace(node, operands=tuple(mapped(operand) for operand in node.operands))
        if isinstance(node, Scalar):
            return node
        strides = maps[id(node)]
        assert strides is not None
        return replace(node, strides=strides)

    return mapped(tree)


Groups = list[tuple[list[int], list[int]]]


def _groups(shape: tuple[Dimension, ...], to: tuple[Dimension, ...]) -> Groups | None:
    """Runs of axes of both shapes with equal products, as short as can be."""
    groups: Groups = []
    i = j = 0
    while i < len(shape) or j < len(to):
        left, right = [], []
        if i < len(shape):
            left, i = [i], i + 1
        if j < len(to):
            right, j = [j], j + 1
        while product(shape[k] for k in left) != product(to[k] for k in right):
            before, after = product(shape[k] for k in left), product(to[k] for k in right)
            if before.at(1 << 20) < after.at(1 << 20) and i < len(shape):
                left, i = [*left, i], i + 1
            elif j < len(to):
                right, j = [*right, j], j + 1
            elif i < len(shape):
                left, i = [*left, i], i + 1
            else:
                return None
        groups.append((left, right))
    return groups


def _regroup(
    strides: Strides, shape: tuple[Dimension, ...], to: tuple[Dimension, ...], groups: Groups
) -> Strides | None:
    result = [ZERO] * len(to)
    for left, right in groups:
        solid = [axis for axis in left if shape[axis] != 1]
        wanted = [axis for axis in right if to[axis] != 1]
        if not solid or not wanted:
            continue
        if [shape[axis] for axis in solid] == [to[axis] for axis in wanted]:
            for axis, new in zip(solid, wanted, strict=True):
                result[new] = strides[axis]
            continue
        step = merged_stride(tuple(shape[a] for a in solid), tuple(strides[a] for a in solid))
        if step is None:
            return None
        inner = row_major(tuple(to[a] for a in wanted))
        for axis, stride in zip(wanted, inner, strict=True):
            result[axis] = stride * step
    return tuple(result)


def merged_stride(shape: tuple[Dimension, ...], strides: Strides) -> Extent | None:
    """The one stride under which several axes, flattened row-major, are walked; None where there is none."""
    solid = [(size, stride) for size, stride in zip(shape, strides, strict=True) if size != 1]
    if not solid:
        return ONE
    for (_, outer), (size, inner) in pairwise(solid):
        if outer != inner * extent(size):
            return None
    return solid[-1][1]
