"""One program on its way to C++: which values have memory, which stay trees, what has been written so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ...system.errors import UnsupportedPrimitive
from ..program import Aval, Dimension, Equation, Literal_, Operand, Program
from .cuda import dealt
from .extent import extent, product, row_major
from .fusion import store_statement
from .memory import Buffer, Plan, Statement, Store, Work
from .tree import Apply, Load, Scalar, Strides, Tree, broadcast, buffers, placed
from .writer import CPP_TYPES, ITEM_BYTES, Block, has_work, kind_of, literal


@dataclass
class Lowering:
    """State of lowering one program; rows of the tables call its methods."""

    program: Program
    rounding: str
    target: str
    function: str  # what the program's own function is called
    lower_body: Callable[[Program, str], tuple[list[str], Plan]]
    bodies: list[str] = field(default_factory=list)  # functions that loops and branches call
    trees: dict[int, Tree] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)
    scratch: dict[str, Buffer] = field(default_factory=dict)
    outputs: dict[int, int] = field(default_factory=dict)  # value -> output position, until it has memory
    stored: set[int] = field(default_factory=set)  # output positions that are written
    external: dict[str, str] = field(default_factory=dict)  # name -> declaration of an in or out pointer
    consumers: dict[int, int] = field(default_factory=dict)
    transposes: dict[int, Equation] = field(default_factory=dict)  # by the value that they turn
    fresh: int = 0

    @property
    def fused(self) -> str:
        return "true" if self.rounding == "fused" else "false"

    @property
    def grid(self) -> str:
        """First argument of what the threads of a GPU share out between them."""
        return "grid, " if self.target == "cuda" else ""

    @property
    def alone(self) -> str:
        """The same where one thread does all of it."""
        return "grid.alone(), " if self.target == "cuda" else ""

    def shared(self, lines: list[str]) -> list[str]:
        """Lines in the middle of a statement that all threads do: their loops are dealt out."""
        return [*dealt(lines), "grid.meet();"] if self.target == "cuda" else lines

    # ---- operands ----------------------------------------------------------------------------

    def aval(self, operand: Operand) -> Aval:
        return self.program.aval(operand)

    def tree(self, operand: Operand) -> Tree:
        if isinstance(operand, Literal_):
            return Scalar(literal(operand.dtype, operand.data), operand.dtype)
        return self.trees[operand]

    def spread(self, operand: Operand, to: tuple[Dimension, ...]) -> Tree:
        """The operand over a larger index space, as JAX's element-wise primitives take it."""
        shape = self.aval(operand).shape
        tree = self.tree(operand)
        if shape == to:
            return tree
        axes = tuple(range(len(to) - len(shape), len(to))) if shape else ()
        return broadcast(self.settled(tree, shape), shape, to, axes)

    def settled(self, tree: Tree, shape: tuple[Dimension, ...]) -> Tree:
        """The tree without work left in it, so that reading an element twice costs nothing."""
        return self.stored_tree(tree, shape) if has_work(tree) else tree

    def view(self, operand: Operand) -> Load:
        """The operand as one strided load from memory."""
        tree = self.tree(operand)
        if isinstance(tree, Load):
            return tree
        stored = self.stored_tree(tree, self.aval(operand).shape)
        if isinstance(operand, int):
            self.trees[operand] = stored
        return stored

    def contiguous(self, operand: Operand) -> str:
        """Name of memory that holds the operand row-major from its start."""
        shape = self.aval(operand).shape
        return self.packed(self.tree(operand), shape)

    def packed(self, tree: Tree, shape: tuple[Dimension, ...]) -> str:
        """The same for any tree."""
        return self.plain_buffer(tree, shape) or self.stored_tree(tree, shape).buffer

    @staticmethod
    def plain_buffer(tree: Tree, shape: tuple[Dimension, ...]) -> str | None:
        """The buffer that a tree is, row-major from its start, if it is one."""
        if not (isinstance(tree, Load) and tree.offset.is_zero):
            return None
        wanted = row_major(shape)
        same = all(s == w or n == 1 for s, w, n in zip(tree.strides, wanted, shape, strict=True))
        return tree.buffer if same else None

    # ---- memory ------------------------------------------------------------------------------

    def name(self) -> str:
        self.fresh += 1
        return f"w{self.fresh}"

    def workspace(self, elements: int) -> str:
        """f32 scratch of one statement, in a slot that only such scratch shares."""
        name = self.name()
        self.scratch[name] = Buffer(name, "f32", extent(elements), 4, passing=True)
        return name

    def temporary(self, dtype: str, shape: tuple[Dimension, ...]) -> str:
        name = self.name()
        self.scratch[name] = Buffer(name, CPP_TYPES[dtype], product(shape), ITEM_BYTES[dtype])
        return name

    def allocate(self, value: int) -> str:
        """Memory of a value: its output if it is one, else scratch; the value is then a plain load of it."""
        aval = self.program.values[value]
        name = f"v{value}"
        if value in self.outputs:
            position = self.outputs.pop(value)
            self.stored.add(position)
            kind = CPP_TYPES[aval.dtype]
            self.external[name] = f"{kind}* const {name} = static_cast<{kind}*>(out[{position}]);"
        else:
            self.scratch[name] = Buffer(
                name, CPP_TYPES[aval.dtype], product(aval.shape), ITEM_BYTES[aval.dtype]
            )
        self.trees[value] = Load(name, aval.dtype, row_major(aval.shape))
        return name

    def turned(self, value: int) -> tuple[int, Strides] | None:
        """What a transpose makes of a value that only it reads, and the strides that make that contiguous."""
        equation = self.transposes.get(value)
        if equation is None or self.consumers[value] > 1 or value in self.outputs:
            return None
        (moved,) = equation.outputs
        plain = row_major(self.program.values[moved].shape)
        order = equation.params["permutation"]
        return moved, tuple(plain[order.index(axis)] for axis in range(len(order)))

    def is_output(self, buffer: str) -> bool:
        return "out[" in self.external.get(buffer, "")

    def body(self, program: Program) -> tuple[str, Plan]:
        """A loop's or branch's program as a function of its own: its name and the scratch of a call."""
        name = f"{self.function}_{self.name()}"
        functions, memory = self.lower_body(program, name)
        self.bodies += functions
        return name, memory

    def room(self, memory: Plan) -> str:
        """Scratch for the calls of a body, in a slot that only such scratch shares."""
        name = self.name()
        self.scratch[name] = Buffer(name, "u8", memory.total, 1, passing=True)
        return name

    # ---- statements --------------------------------------------------------------------------

    def write(self, lines: list[str], reads: set[str], writes: set[str], work: Work = "one") -> None:
        self.statements.append(Statement(lines, reads, writes, work=work))

    def computed(
        self, equation: Equation, lines: list[str], reads: set[str], name: str, work: Work = "one"
    ) -> None:
        """A structural row's lines that filled `name`; an output's NaNs are made canonical after them."""
        self.write([self.comment(equation), *lines], reads, {name}, work)
        self.canonicalise(name, equation.outputs[0])

    def canonicalise(self, name: str, value: int) -> None:
        """Make the NaNs of an output canonical; nothing for what stays inside."""
        aval = self.program.values[value]
        if self.is_output(name) and kind_of(aval.dtype) == "float":
            line = f"canonicalise({self.grid}{name}, {product(aval.shape).cpp()});"
            self.write([line], {name}, {name}, "all")

    def stored_tree(self, tree: Tree, shape: tuple[Dimension, ...]) -> Load:
        """Write a tree to scratch."""
        name = self.temporary(tree.dtype, shape)
        self.store_plain(tree, shape, name)
        return Load(name, tree.dtype, row_major(shape))

    def store_plain(self, tree: Tree, shape: tuple[Dimension, ...], name: str) -> None:
        """Write a tree to a buffer, row-major from its start."""
        self._store(tree, shape, name, row_major(shape), canonical=False, comment=None)

    def _store(
        self,
        tree: Tree,
        shape: tuple[Dimension, ...],
        name: str,
        strides: Strides,
        *,
        canonical: bool,
        comment: str | None,
    ) -> None:
        if canonical:
            tree = Apply("canonical({0})", tree.dtype, (tree,))
        self.statements.append(store_statement((Store(name, shape, strides, tree, comment),)))

    def define(self, equation: Equation, tree: Tree) -> None:
        """Give a value its tree; write it to memory now if several equations or an output read it."""
        (value,) = equation.outputs
        self.define_value(equation, value, tree)

    def define_value(self, equation: Equation, value: int, tree: Tree) -> None:
        """The same for one of several values of an equation."""
        shape = self.program.values[value].shape
        self.trees[value] = tree
        if not has_work(tree):
            return
        if shape == ():
            self._define_scalar(equation, value, tree)
        elif self.consumers.get(value, 0) > 1 or value in self.outputs:
            name = self.allocate(value)
            canonical = self.is_output(name) and kind_of(tree.dtype) == "float"
            self._store(
                tree, shape, name, row_major(shape), canonical=canonical, comment=self.comment(equation)
            )

    def _define_scalar(self, equation: Equation, value: int, tree: Tree) -> None:
        block = Block((), prefix=f"v{value}_")
        text = block.value(tree)
        block.lines[-1] = block.lines[-1].replace(f" {text} = ", f" v{value} = ")
        self.write([self.comment(equation), *block.lines], buffers(tree), {f"v{value}"}, "all")
        self.trees[value] = Scalar(f"v{value}", tree.dtype)

    def finish(self) -> None:
        """Write what is an output and has no memory yet: inputs passed through, views, scalars, literals."""
        for position, operand in enumerate(self.program.outputs):
            if position in self.stored:
                continue
            aval = self.aval(operand)
            kind, name = CPP_TYPES[aval.dtype], f"out{position}"
            self.external[name] = f"{kind}* const {name} = static_cast<{kind}*>(out[{position}]);"
            tree = self.tree(operand)
            canonical = kind_of(aval.dtype) == "float"
            self._store(tree, aval.shape, name, row_major(aval.shape), canonical=canonical, comment=None)

    @staticmethod
    def comment(equation: Equation) -> str:
        return f"// {equation.primitive}" + (f", {equation.place}" if equation.place else "")

    def refuse(self, equation: Equation, what: str, instead: str) -> UnsupportedPrimitive:
        return UnsupportedPrimitive(
            f"primitive {equation.primitive} {what}",
            kind="primitive",
            where=equation.place or None,
            hint=instead,
        )


def at_origin(tree: Tree) -> Tree:
    """A tree of shape () from one whose leaves still carry axes of size 1."""
    return placed(tree, lambda strides, offset: ((), offset))
