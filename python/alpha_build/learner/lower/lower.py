"""A loop program as one C++ function with the call interface of cpp/role/tables.h."""

from __future__ import annotations

from dataclasses import dataclass

from ...system.errors import UnsupportedPrimitive
from ..program import Program
from . import cuda, table
from .extent import row_major
from .fusion import fused
from .lowering import Lowering
from .memory import ROWS_UNIT, Plan, plan
from .tree import Load, Scalar
from .writer import CPP_TYPES

INCLUDES = (
    "learner/convert.h",
    "learner/numeric.h",
    "learner/elementary.h",
    "learner/elementary_angle.h",
    "learner/elementary_arc.h",
    "learner/elementary_arrays.h",
    "learner/elementary_error.h",
    "learner/elementary_hyperbolic.h",
    "learner/elementary_power.h",
    "learner/matrix.h",
    "learner/order.h",
    "learner/random.h",
    "learner/reduce.h",
)


@dataclass(frozen=True)
class Lowered:
    """`source` is `void NAME(u64 rows, const void* const* in, void* const* out, void* scratch) {...}`, for
    namespace alpha.  `in` and `out` do not overlap; constants follow the inputs."""

    name: str
    source: str
    includes: tuple[str, ...]
    memory: Plan

    def scratch_bytes(self, rows: int) -> int:
        """Scratch for any number of rows up to `rows`; scratch must be 64-byte aligned."""
        return self.memory.bytes_at(rows)


def lower(program: Program, name: str, *, target: str, rounding: str) -> Lowered:
    """Emit one program.

    Raises:
        UnsupportedPrimitive: a primitive, or a dtype of it, has no lowering on the target.
    """
    assert rounding in ("separate", "fused"), rounding
    functions, memory = _functions(program, name, target, rounding)
    if target == "cuda":
        return Lowered(name, cuda.program(functions, name), (*INCLUDES, "learner/grid.h"), memory)
    return Lowered(name, "\n".join(functions), INCLUDES, memory)


def _functions(program: Program, name: str, target: str, rounding: str) -> tuple[list[str], Plan]:
    """The program's function behind those of its loops and branches, and its scratch."""

    def body(inner: Program, inner_name: str) -> tuple[list[str], Plan]:
        functions, memory = _functions(inner, inner_name, target, rounding)
        return [*functions[:-1], f"static {functions[-1]}"], memory

    lowering = Lowering(program, rounding, target, name, body)
    _count_consumers(lowering)
    _place_inputs(lowering)
    for equation in program.equations:
        row = table.row(equation.primitive, target)
        if row is None:
            raise lowering.refuse(
                equation, f"has no lowering on {target}", "supported: " + ", ".join(table.primitives())
            )
        row.lower(lowering, equation)
    lowering.finish()
    outputs = {name for name in lowering.external if lowering.is_output(name)}
    lowering.statements = fused(lowering.statements, outputs)
    memory = plan(lowering.statements, lowering.scratch)
    return [*lowering.bodies, _source(lowering, name, memory)], memory


def refusals(program: Program, *, target: str, rounding: str) -> list[UnsupportedPrimitive]:
    """What `lower` would refuse, for checks before projection."""
    try:
        lower(program, "check", target=target, rounding=rounding)
    except UnsupportedPrimitive as failure:
        return [failure]
    return []


def _count_consumers(lowering: Lowering) -> None:
    for equation in lowering.program.equations:
        for operand in {operand for operand in equation.inputs if isinstance(operand, int)}:
            lowering.consumers[operand] = lowering.consumers.get(operand, 0) + 1
            if equation.primitive == "transpose":
                lowering.transposes[operand] = equation
    first_equation_value = len(lowering.program.inputs) + len(lowering.program.constants)
    for position, result in enumerate(lowering.program.outputs):
        if isinstance(result, int) and result >= first_equation_value:
            lowering.outputs.setdefault(result, position)


def _place_inputs(lowering: Lowering) -> None:
    program = lowering.program
    for value in range(len(program.inputs) + len(program.constants)):
        aval = program.values[value]
        if aval.dtype not in CPP_TYPES:
            raise UnsupportedPrimitive(
                f"an array of dtype {aval.dtype} has no lowering",
                kind="dtype",
                hint="supported: " + ", ".join(sorted(CPP_TYPES)),
            )
        kind, name = CPP_TYPES[aval.dtype], f"v{value}"
        pointer = f"static_cast<const {kind}*>(in[{value}])"
        if aval.shape == ():
            lowering.external[name] = f"const {kind} {name} = *{pointer};"
            lowering.trees[value] = Scalar(name, aval.dtype)
        else:
            lowering.external[name] = f"const {kind}* const {name} = {pointer};"
            lowering.trees[value] = Load(name, aval.dtype, row_major(aval.shape))


def _source(lowering: Lowering, name: str, memory: Plan) -> str:
    text = "\n".join(line for statement in lowering.statements for line in statement.lines)
    words = set("".join(c if c.isalnum() or c == "_" else " " for c in text).split())
    lines = [lowering.external[n] for n in sorted(lowering.external, key=_natural) if n in words]
    if memory.offsets:
        lines.append("u8* const base = static_cast<u8*>(scratch);")
    offsets = {n: offset.cpp("padded") for n, offset in memory.offsets.items()}
    if any("padded" in offset for offset in offsets.values()):
        lines.append(f"const u64 padded = (rows + {ROWS_UNIT - 1}) / {ROWS_UNIT} * {ROWS_UNIT};")
    for buffer, offset in offsets.items():
        kind = lowering.scratch[buffer].kind
        lines.append(f"{kind}* const {buffer} = reinterpret_cast<{kind}*>(base + {offset});")
    for statement in lowering.statements:
        lines += cuda.shared(statement) if lowering.target == "cuda" else statement.lines
    space = " " * (6 + len(name))
    given = "[[maybe_unused]] u64 rows, [[maybe_unused]] const void* const* in, void* const* out,"
    first = [cuda.PARAMETER, f"{space}{given}"] if lowering.target == "cuda" else [given]
    head = [f"void {name}({first[0]}", *first[1:], f"{space}[[maybe_unused]] void* scratch) {{"]
    return "\n".join([*head, *("  " + line for line in lines), "}"]) + "\n"


def _natural(name: str) -> tuple[str, int]:
    letters = name.rstrip("0123456789")
    return letters, int(name[len(letters) :] or 0)
