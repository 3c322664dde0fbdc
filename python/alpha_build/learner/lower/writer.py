"""C++ text of loops over trees: indices, collapsed axes, one line an operation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..program import Dimension
from .extent import ZERO, Extent, extent
from .tree import Apply, Count, Load, Scalar, Strides, Tree, leaves

CPP_TYPES = {
    "float32": "f32", "float64": "f64", "bool": "bool",
    "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
    "bfloat16": "bf16", "float16": "f16",
}  # fmt: skip
ITEM_BYTES = {
    dtype: 2 if kind == "bf16" else 1 if kind == "bool" else int(kind[1:]) // 8
    for dtype, kind in CPP_TYPES.items()
}
# Numbers of 16 bits are added up as f32 and rounded once.
SUM_TYPES = {**CPP_TYPES, "bfloat16": "f32", "float16": "f32"}


def kind_of(dtype: str) -> str:
    """Which column of a table's row a dtype reads: float, int, uint, boolean or another kind's name."""
    if dtype == "bool":
        return "boolean"
    return "float" if dtype == "bfloat16" else dtype.rstrip("0123456789")


def literal(dtype: str, data: bytes) -> str:
    """A C++ literal that reads back as the same bits (a NaN as the canonical one)."""
    kind = CPP_TYPES[dtype]
    if dtype == "bfloat16":
        return f"bf16({literal('float32', bytes(2) + data)})"
    if dtype == "float16":
        wide = np.frombuffer(data, np.float16)[0].astype(np.float32)
        return f"f16({literal('float32', wide.tobytes())})"
    value = np.frombuffer(data, np.dtype(dtype))[0]
    if dtype == "bool":
        return "true" if value else "false"
    if dtype in ("float32", "float64"):
        suffix = "f" if dtype == "float32" else ""
        if np.isnan(value):
            return f"kNan<{kind}>"
        if np.isinf(value):
            return f"{'-' if value < 0 else ''}kInfinity<{kind}>"
        return f"{value!s}{suffix}"
    if dtype == "int64" and value == np.iinfo(np.int64).min:
        return "(-9223372036854775807 - 1)"
    if dtype == "int32" and value == np.iinfo(np.int32).min:
        return "(-2147483647 - 1)"
    if dtype == "int32":
        return str(value)
    return f"static_cast<{kind}>({value})"


class Block:
    """Lines of one loop body: each Apply of a tree becomes one constant, shared where the tree shares it."""

    def __init__(self, indices: tuple[str, ...], prefix: str = "t") -> None:
        self.indices = indices
        self.prefix = prefix
        self.lines: list[str] = []
        self._names: dict[int, str] = {}

    def value(self, tree: Tree, strides: dict[int, Strides] | None = None) -> str:
        """A C++ operand for the tree's element; `strides` says otherwise for some leaves (collapsed axes)."""
        if isinstance(tree, Scalar):
            return tree.text
        if isinstance(tree, (Load, Count)):
            where = self.index(strides[id(tree)] if strides else tree.strides, tree.offset)
            if isinstance(tree, Load):
                return f"{tree.buffer}[{where}]"
            return f"static_cast<{CPP_TYPES[tree.dtype]}>({where})"
        if id(tree) not in self._names:
            text = tree.template.format(*(self.value(operand, strides) for operand in tree.operands))
            name = f"{self.prefix}{len(self._names)}"
            self._names[id(tree)] = name
            self.lines.append(f"const {CPP_TYPES[tree.dtype]} {name} = {text};")
        return self._names[id(tree)]

    def index(self, strides: Strides, offset: Extent) -> str:
        terms = [_scaled(name, stride) for name, stride in zip(self.indices, strides, strict=True)]
        if not offset.is_zero:
            terms.append(offset.cpp())
        return " + ".join(term for term in terms if term).replace("+ -", "- ") or "0"


def _scaled(name: str, stride: Extent) -> str:
    if stride.is_zero:
        return ""
    if stride.is_one:
        return name
    text = stride.cpp()
    return f"{name} * ({text})" if " + " in text or " - " in text else f"{text} * {name}"


Sizes = tuple[Extent, ...]


def collapse(shape: tuple[Dimension, ...], all_strides: list[Strides]) -> tuple[Sizes, list[Strides]]:
    """Fewest axes that walk every one of several strided arrays in the same order; sizes of 1 vanish."""
    axes = [axis for axis, size in enumerate(shape) if size != 1]
    sizes: list[Extent] = []
    kept: list[list[Extent]] = []
    for axis in axes:
        size = extent(shape[axis])
        column = [strides[axis] for strides in all_strides]
        if kept and all(outer == inner * size for outer, inner in zip(kept[-1], column, strict=True)):
            sizes[-1], kept[-1] = sizes[-1] * size, column
        else:
            sizes.append(size)
            kept.append(column)
    return tuple(sizes), [tuple(column[i] for column in kept) for i in range(len(all_strides))]


def loops(
    shape: tuple[Dimension, ...],
    trees: list[Tree],
    targets: list[Strides],
    body: Callable[[Block, list[str], list[str]], list[str]],
    name: str = "i",
    *,
    apart: bool = False,
) -> list[str]:
    """Loops over `shape`; `body(block, values, target_indices)` gives the last lines inside.  `apart`: no
    element that is written is read, so that compilers need not look for it."""
    found = list({id(leaf): leaf for tree in trees for leaf in leaves(tree)}.values())
    sizes, strides = collapse(shape, [*(leaf.strides for leaf in found), *targets])
    indices = tuple(f"{name}{axis}" for axis in range(len(sizes)))
    block = Block(indices)
    mapped = {id(leaf): stride for leaf, stride in zip(found, strides, strict=False)}
    values = [block.value(tree, mapped) for tree in trees]
    where = [block.index(stride, ZERO) for stride in strides[len(found) :]]
    return nest(indices, sizes, [*block.lines, *body(block, values, where)], apart=apart)


def nest(indices: tuple[str, ...], sizes: Sizes, body: list[str], *, apart: bool = False) -> list[str]:
    """`for` loops around a body, outermost first."""
    lines = body
    for index, size in reversed(list(zip(indices, sizes, strict=True))):
        head = f"for (u64 {index} = 0; {index} < {size.cpp()}; ++{index}) {{"
        before = ["ALPHA_APART"] if apart and lines is body else []
        lines = [*before, head, *("  " + line for line in lines), "}"]
    return lines


def braced(lines: list[str]) -> list[str]:
    """A block of its own, whose constants nobody else sees."""
    return ["{", *("  " + line for line in lines), "}"]


def scoped(lines: list[str]) -> list[str]:
    """Lines that are one loop, or a block."""
    return lines if lines[0].startswith("for ") else braced(lines)


def has_work(tree: Tree) -> bool:
    """Whether reading an element computes anything."""
    return isinstance(tree, Apply)
