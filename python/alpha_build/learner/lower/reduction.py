"""Rows that reduce axes: 4,096-element chunks, 16 lanes, halving, chunks met by the rule of S(l, i)."""

from __future__ import annotations

from ..program import Dimension, Equation
from .extent import Extent, product, row_major
from .lowering import Lowering
from .row import Row
from .tree import Apply, Load, Strides, Tree, buffers, leaves, merged_stride, reshape, transpose
from .writer import CPP_TYPES, SUM_TYPES, Block, collapse, kind_of, nest


def _reduced(
    lowering: Lowering, tree: Tree, shape: tuple[Dimension, ...], axes: list[int]
) -> tuple[Tree, tuple[Dimension, ...], tuple[Dimension, ...], dict[int, tuple[Strides, Extent]]]:
    """The tree with reduced axes last, kept and reduced shapes, and (kept strides, reduced stride) a leaf."""
    kept = [axis for axis in range(len(shape)) if axis not in axes]
    outer, inner = tuple(shape[a] for a in kept), tuple(shape[a] for a in axes)
    moved = transpose(tree, (*kept, *axes))
    split = {id(leaf): _split(leaf.strides, len(kept), inner) for leaf in leaves(moved)}
    if any(part is None for part in split.values()):
        moved = lowering.stored_tree(moved, (*outer, *inner))
        split = {id(moved): _split(moved.strides, len(kept), inner)}
    return moved, outer, inner, {key: part for key, part in split.items() if part is not None}


def _split(strides: Strides, kept: int, inner: tuple[Dimension, ...]) -> tuple[Strides, Extent] | None:
    step = merged_stride(inner, strides[kept:])
    return None if step is None else (strides[:kept], step)


def _reduction(name: str, kinds: tuple[str, ...]) -> Row:
    def lower(lowering: Lowering, equation: Equation) -> None:
        (operand,) = equation.inputs
        aval = lowering.aval(operand)
        if kind_of(aval.dtype) not in kinds or aval.dtype not in CPP_TYPES:
            raise lowering.refuse(equation, f"on {aval.dtype} has no lowering", "use another dtype here")
        axes = sorted(equation.params["axes"])
        if not axes:
            lowering.define(equation, lowering.tree(operand))
            return
        value = equation.outputs[0]
        to = lowering.program.values[value].shape
        if all(aval.shape[axis] == 1 for axis in axes) and SUM_TYPES[aval.dtype] == CPP_TYPES[aval.dtype]:
            only = reshape(lowering.tree(operand), aval.shape, to)
            if only is not None:  # the identity and one element
                lowering.define(equation, Apply(f"{name}_of_one({{0}})", aval.dtype, (only,)))
                return
        tree, outer, inner, split = _reduced(lowering, lowering.tree(operand), aval.shape, axes)
        target = lowering.allocate(value)
        reader = _Reader(tree, outer, inner, split, row_major(to))
        # On a GPU neighbouring threads read neighbours anyway.
        columns = reader.columns() and lowering.target != "cuda"
        function = f"{name}<{SUM_TYPES[aval.dtype]}>"
        lines = reader.by_column(function, target) if columns else reader.by_row(function, target)
        lowering.computed(equation, lines, buffers(tree), target, "each")

    return Row(lower, reads=("axes",))


class _Reader:
    """C++ that hands the elements of each reduction to a function of learner/reduce.h."""

    def __init__(
        self,
        tree: Tree,
        outer: tuple[Dimension, ...],
        inner: tuple[Dimension, ...],
        split: dict[int, tuple[Strides, Extent]],
        target: Strides,
    ) -> None:
        self.tree, self.count = tree, product(inner)
        self.found = list({id(leaf): leaf for leaf in leaves(tree)}.values())
        self.sizes, columns = collapse(outer, [*(split[id(leaf)][0] for leaf in self.found), target])
        self.kept, self.target = columns[:-1], columns[-1]
        self.steps = [split[id(leaf)][1] for leaf in self.found]

    def columns(self) -> bool:
        """Whether neighbours in memory belong to neighbouring results, so that these are done together."""
        if not self.sizes or not self.found:
            return False
        leaves = zip(self.found, self.kept, self.steps, strict=True)
        return any(isinstance(f, Load) and k[-1].is_one and not s.is_one for f, k, s in leaves)

    def _element(self, indices: tuple[str, ...]) -> list[str]:
        """Body of a lambda over k (the last index) and the kept indices."""
        block = Block(indices)
        strides = {
            id(leaf): (*kept, step)
            for leaf, kept, step in zip(self.found, self.kept, self.steps, strict=True)
        }
        text = block.value(self.tree, strides)
        return [*block.lines, f"return {text};"]

    def by_row(self, function: str, target: str) -> list[str]:
        indices = tuple(f"i{axis}" for axis in range(len(self.sizes)))
        where = Block(indices).index(self.target, Extent())
        body = [
            f"{target}[{where}] = {function}({self.count.cpp()}, [&]([[maybe_unused]] u64 k) {{",
            *("  " + line for line in self._element((*indices, "k"))),
            "});",
        ]
        return nest(indices, self.sizes, body)

    def by_column(self, function: str, target: str) -> list[str]:
        indices = tuple(f"i{axis}" for axis in range(len(self.sizes) - 1))
        where = Block(indices).index(self.target[:-1], Extent())
        place = target if where == "0" else f"{target} + {where}"
        call = function.replace("<", "_columns<")
        body = [
            f"{call}({self.count.cpp()}, {self.sizes[-1].cpp()}, {place}, [&](u64 k, u64 j) {{",
            *("  " + line for line in self._element((*indices, "j", "k"))),
            "});",
        ]
        return nest(indices, self.sizes[:-1], body)


def _argument(name: str) -> Row:
    def lower(lowering: Lowering, equation: Equation) -> None:
        (operand,) = equation.inputs
        aval = lowering.aval(operand)
        if aval.dtype not in CPP_TYPES:
            raise lowering.refuse(equation, f"on {aval.dtype} has no lowering", "use another dtype here")
        axes = list(equation.params["axes"])
        tree, outer, inner, split = _reduced(lowering, lowering.tree(operand), aval.shape, axes)
        value = equation.outputs[0]
        result = lowering.program.values[value]
        target = lowering.allocate(value)
        reader = _Reader(tree, outer, inner, split, row_major(result.shape))
        function = f"{name}<{CPP_TYPES[aval.dtype]}, {CPP_TYPES[result.dtype]}>"
        lowering.computed(equation, reader.by_row(function, target), buffers(tree), target, "each")

    return Row(lower, reads=("axes",))


def _cumulative(step: str, *, singles: bool = False) -> Row:
    """Sequential along one axis, forwards or backwards."""

    def lower(lowering: Lowering, equation: Equation) -> None:
        (operand,) = equation.inputs
        aval = lowering.aval(operand)
        if aval.dtype not in CPP_TYPES or (singles and SUM_TYPES[aval.dtype] != "f32"):
            raise lowering.refuse(equation, f"on {aval.dtype} has no lowering", "use another dtype here")
        axis, back = equation.params["axis"], equation.params["reverse"]
        tree, outer, inner, split = _reduced(lowering, lowering.tree(operand), aval.shape, [axis])
        value = equation.outputs[0]
        target = lowering.allocate(value)
        strides = row_major(aval.shape)
        kept = tuple(stride for a, stride in enumerate(strides) if a != axis)
        reader = _Reader(tree, outer, inner, split, kept)
        indices = tuple(f"i{a}" for a in range(len(reader.sizes)))
        where = Block(indices).index(reader.target, Extent())
        kind, count = SUM_TYPES[aval.dtype], reader.count.cpp()
        body = [
            f"cumulative<{kind}>({count}, {'true' if back else 'false'}, {target} + {where},",
            f"    {strides[axis].cpp()}, {step}<{kind}>, [&](u64 k) {{",
            *("  " + line for line in reader._element((*indices, "k"))),
            "});",
        ]
        lowering.computed(equation, nest(indices, reader.sizes, body), buffers(tree), target, "each")

    return Row(lower, reads=("axis", "reverse"))


_NUMBERS = ("float", "int", "uint")
ROWS: dict[str, Row] = {
    "reduce_sum": _reduction("reduce_sum", _NUMBERS),
    "reduce_prod": _reduction("reduce_product", _NUMBERS),
    "reduce_max": _reduction("reduce_maximum", (*_NUMBERS, "boolean")),
    "reduce_min": _reduction("reduce_minimum", (*_NUMBERS, "boolean")),
    "reduce_and": _reduction("reduce_and", ("boolean",)),
    "reduce_or": _reduction("reduce_or", ("boolean",)),
    "argmax": _argument("argument_of_maximum"),
    "argmin": _argument("argument_of_minimum"),
    "cumsum": _cumulative("step_sum"),
    "cumprod": _cumulative("step_product"),
    "cummax": _cumulative("step_maximum"),
    "cummin": _cumulative("step_minimum"),
    "cumlogsumexp": _cumulative("step_logsumexp", singles=True),
}
