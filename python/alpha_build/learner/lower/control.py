"""Rows of scan, while and cond: each body becomes a function of its own, called with pointers."""

from __future__ import annotations

from collections.abc import Sequence

from ..program import Equation, Operand, Program
from .extent import product
from .lowering import Lowering
from .row import Row
from .writer import CPP_TYPES, braced


class Body:
    """A lowered body with the scratch of one call and the arrays of pointers that it is called with."""

    def __init__(self, lowering: Lowering, program: Program, suffix: str = "") -> None:
        self.function, memory = lowering.body(program)
        self.room = lowering.room(memory)
        self.inputs, self.outputs = f"body_in{suffix}", f"body_out{suffix}"
        self.in_count = max(1, len(program.inputs))
        self.out_count = max(1, len(program.outputs))

    def declare(self) -> list[str]:
        return [
            f"[[maybe_unused]] const void* {self.inputs}[{self.in_count}];",
            f"[[maybe_unused]] void* {self.outputs}[{self.out_count}];",
        ]

    def give(self, start: int, pointers: Sequence[str]) -> list[str]:
        return [f"{self.inputs}[{start + i}] = {pointer};" for i, pointer in enumerate(pointers)]

    def take(self, start: int, pointers: Sequence[str]) -> list[str]:
        return [f"{self.outputs}[{start + i}] = {pointer};" for i, pointer in enumerate(pointers)]

    def call(self, grid: str) -> str:
        """A call; `grid` names the threads that share it, where there are several."""
        return f"{self.function}({grid}rows, {self.inputs}, {self.outputs}, {self.room});"


def _carried(lowering: Lowering, results: Sequence[int]) -> list[tuple[str, str]]:
    """Two places for each carried value: one is read while the other is written."""
    avals = [lowering.program.values[value] for value in results]
    return [(lowering.temporary(a.dtype, a.shape), lowering.temporary(a.dtype, a.shape)) for a in avals]


def _memory(lowering: Lowering, operands: Sequence[Operand]) -> list[str]:
    return [lowering.contiguous(operand) for operand in operands]


def _copied(lowering: Lowering, value: int, to: str, source: str) -> str:
    aval = lowering.program.values[value]
    typed = f"static_cast<const {CPP_TYPES[aval.dtype]}*>({source})"
    return f"copy_values({lowering.grid}{to}, {typed}, {product(aval.shape).cpp()});"


def _scan(lowering: Lowering, equation: Equation) -> None:
    params = equation.params
    length, backwards = params["length"], params["reverse"]
    if not isinstance(length, int):
        raise lowering.refuse(equation, "over samples has no lowering", "keep each sample apart")
    consts, carries, extra = params["num_consts"], params["num_carry"], params["extra"]
    pointers = _memory(lowering, equation.inputs)
    first, walked = consts + carries, len(pointers) - extra
    results = [lowering.allocate(value) for value in equation.outputs]
    places = _carried(lowering, equation.outputs[:carries])
    body = Body(lowering, params["jaxpr"])
    lines = [
        *body.declare(),
        *body.give(0, pointers[:consts]),
        *body.give(walked, pointers[walked:]),
    ]
    inside = [
        f"[[maybe_unused]] const u64 at = {length - 1} - i;"
        if backwards
        else "[[maybe_unused]] const u64 at = i;"
    ]
    for i in range(carries):
        one, other = places[i]
        inside += body.give(consts + i, [f"i == 0 ? {pointers[consts + i]} : i % 2 != 0 ? {one} : {other}"])
        inside += body.take(i, [f"i + 1 == {length} ? {results[i]} : i % 2 != 0 ? {other} : {one}"])
    for i, operand in enumerate(equation.inputs[first:walked], first):
        step = product(lowering.aval(operand).shape[1:]).cpp()
        inside += body.give(i, [f"{pointers[i]} + at * ({step})"])
    for i, value in enumerate(equation.outputs[carries:], carries):
        step = product(lowering.program.values[value].shape[1:]).cpp()
        inside += body.take(i, [f"{results[i]} + at * ({step})"])
    inside.append(body.call(lowering.grid))
    lines += [f"for (u64 i = 0; i < {length}; ++i) {{", *("  " + line for line in inside), "}"]
    if length == 0:
        lines = [
            _copied(lowering, value, results[i], pointers[consts + i])
            for i, value in enumerate(equation.outputs[:carries])
        ]
    _write(lowering, equation, lines, {*pointers, body.room, *(p for pair in places for p in pair)}, results)


def _while(lowering: Lowering, equation: Equation) -> None:
    params = equation.params
    tests, bodies = params["cond_nconsts"], params["body_nconsts"]
    test_extra, body_extra = params["cond_extra"], params["body_extra"]
    pointers = _memory(lowering, equation.inputs)
    first, last = tests + bodies, len(pointers) - test_extra - body_extra
    count = last - first
    results = [lowering.allocate(value) for value in equation.outputs]
    places = _carried(lowering, equation.outputs)
    test, body = Body(lowering, params["cond_jaxpr"], "_test"), Body(lowering, params["body_jaxpr"])
    again = lowering.temporary("bool", ())
    lines = [
        *test.declare(),
        *test.give(0, pointers[:tests]),
        *test.give(tests + count, pointers[last : last + test_extra]),
        *body.declare(),
        *body.give(0, pointers[tests:first]),
        *body.give(bodies + count, pointers[last + test_extra :]),
        *test.take(0, [again]),
        f"const void* now[{max(1, count)}] = {{{', '.join(pointers[first:last]) or 'nullptr'}}};",
    ]
    inside = test.give(tests, [f"now[{i}]" for i in range(count)])
    inside += [test.call(lowering.grid), f"if (!{again}[0]) break;"]
    inside += body.give(bodies, [f"now[{i}]" for i in range(count)])
    inside += body.take(0, [f"i % 2 != 0 ? {one} : {other}" for one, other in places])
    inside += [body.call(lowering.grid), *(f"now[{i}] = {body.outputs}[{i}];" for i in range(count))]
    lines += ["for (u64 i = 0;; ++i) {", *("  " + line for line in inside), "}"]
    lines += [_copied(lowering, value, results[i], f"now[{i}]") for i, value in enumerate(equation.outputs)]
    reads = {*pointers, again, test.room, body.room, *(p for pair in places for p in pair)}
    _write(lowering, equation, lines, reads, results)


def _cond(lowering: Lowering, equation: Equation) -> None:
    branches, extras = equation.params["branches"], equation.params["extra"]
    dtype = CPP_TYPES[lowering.aval(equation.inputs[0]).dtype]
    pointers = _memory(lowering, equation.inputs)
    index, shared = pointers[0], pointers[1 : len(pointers) - sum(extras)]
    own = pointers[len(pointers) - sum(extras) :]
    results = [lowering.allocate(value) for value in equation.outputs]
    chosen = f"clamped_start<i64>(static_cast<i64>({index}[0]), {len(branches) - 1})"
    assert dtype in ("i32", "i64", "bool"), "JAX gives an index of 32 bits"
    lines, rooms = [f"const u64 which = {chosen};"], set()
    for number, (program, extra) in enumerate(zip(branches, extras, strict=True)):
        body = Body(lowering, program)
        rooms.add(body.room)
        inside = [
            *body.declare(),
            *body.give(0, [*shared, *own[:extra]]),
            *body.take(0, results),
            body.call(lowering.grid),
        ]
        own = own[extra:]
        lines += [f"if (which == {number}) {{", *("  " + line for line in inside), "}"]
    _write(lowering, equation, lines, {*pointers, *rooms}, results)


def _write(
    lowering: Lowering, equation: Equation, lines: list[str], reads: set[str], results: list[str]
) -> None:
    lowering.write([lowering.comment(equation), *braced(lines)], reads, set(results), "all")


ROWS: dict[str, Row] = {
    "scan": Row(_scan, reads=("jaxpr", "length", "num_consts", "num_carry", "reverse", "extra")),
    "while": Row(
        _while,
        reads=("cond_jaxpr", "body_jaxpr", "cond_nconsts", "body_nconsts", "cond_extra", "body_extra"),
    ),
    "cond": Row(_cond, reads=("branches", "extra")),
}
