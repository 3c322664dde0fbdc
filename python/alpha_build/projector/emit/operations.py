"""A system's own operations: the user's source in functions of their own, numbered as in his file."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from alpha_build.projector.emit.text import Names, cpp_type, folded, literal
from alpha_build.projector.project.program import Buffer


@dataclass(frozen=True)
class OperationSource:
    """An operation as its user wrote it; `line` and `preamble_line` say where its sources begin."""

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    cpp: str
    preamble: str
    file: str
    place_line: int  # of the call that made it
    line: int
    preamble_line: int
    parts: tuple[str, ...] = ()  # of reads and writes: those of which it sees the role's own part


@dataclass(frozen=True)
class EmittedOperation:
    """What the template writes of one operation."""

    place: str
    body_function: str  # in namespace operations
    work: str  # the step's function
    parameters: str
    arguments: str
    line_directive: str
    body: str


@dataclass(frozen=True)
class EmittedPreamble:
    line_directive: str
    text: str


def emit_operations(
    operations: Sequence[OperationSource], buffers: Sequence[Buffer], buffer_names: Sequence[str]
) -> list[EmittedOperation]:
    """Functions of the operations, in order; each region that one names is a parameter under its own name."""
    functions = Names()
    return [_emit(operation, buffers, buffer_names, functions) for operation in operations]


def emit_preambles(operations: Sequence[OperationSource]) -> list[EmittedPreamble]:
    """Each different preamble once: operations may share helpers."""
    first: dict[str, OperationSource] = {}
    for operation in operations:
        if operation.preamble:
            first.setdefault(operation.preamble, operation)
    return [
        EmittedPreamble(_line(operation.preamble_line, operation.file), _ended(text))
        for text, operation in first.items()
    ]


def _emit(
    operation: OperationSource, buffers: Sequence[Buffer], buffer_names: Sequence[str], functions: Names
) -> EmittedOperation:
    by_name = {buffer.name: index for index, buffer in enumerate(buffers)}
    regions = list(dict.fromkeys((*operation.reads, *operation.writes)))
    parameters, arguments = [], []
    for region in regions:
        index = by_name[region]
        buffer, constant = buffers[index], "" if region in operation.writes else "const "
        if buffer.element == "word":
            parameters.append(f"{constant}std::uint64_t& {region}")
            arguments.append(f"participant.word({buffer_names[index]})")
        else:
            element = constant + cpp_type(buffer.element)
            parameters.append(f"alpha::Span<{element}> {region}")
            span = "part" if region in operation.parts else "buffer"
            arguments.append(f"participant.{span}<{element}>({buffer_names[index]})")
    name = functions.fresh(re.sub(r"[^A-Za-z0-9_]", "_", operation.name))
    head, call = f"static void {name}_body(", f"  operations::{name}_body("
    return EmittedOperation(
        place=f"{operation.file}:{operation.place_line} operation {operation.name}",
        body_function=f"{name}_body",
        work=f"{name}_work",
        parameters=folded([*parameters, "std::uint64_t round"], len(head), len(head), reserve=3),
        arguments=folded([*arguments, "participant.round()"], len(call), len(call), reserve=2),
        line_directive=_line(operation.line, operation.file),
        body=_ended(_indented(operation.cpp)),
    )


def _line(line: int, file: str) -> str:
    return f"#line {max(line, 1)} {literal(file)}"


def _indented(text: str) -> str:
    """The user's text two columns in; a raw string's lines are not to be moved."""
    return text if 'R"' in text else textwrap.indent(textwrap.dedent(text), "  ")


def _ended(text: str) -> str:
    """The user's text as it stands, in lines that end."""
    return "\n".join(text.splitlines()) + "\n"
