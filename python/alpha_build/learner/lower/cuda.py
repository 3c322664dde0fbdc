"""A program that the threads of a GPU share: loops are dealt out, and all meet after what touches memory."""

from __future__ import annotations

import re

from .memory import Statement
from .writer import braced

PARAMETER = "[[maybe_unused]] const Grid& grid, "
_LOOP = re.compile(r"for \(u64 (\w+) = 0; \1 < (.*); \+\+\1\) \{$")


def program(functions: list[str], name: str) -> str:
    """Functions for the device, and a kernel over the last of them."""
    return "\n".join([*(f"ALPHA_DEVICE {each}" for each in functions), f"ALPHA_KERNEL({name})\n"])


def shared(statement: Statement) -> list[str]:
    """The lines that every thread runs for a statement; threads meet before memory is used again."""
    comments = [line for line in statement.lines if line.startswith("//")]
    lines = [line for line in statement.lines[len(comments) :] if line.strip() != "ALPHA_APART"]
    if statement.work == "each":
        lines = dealt(lines)
    elif statement.work == "one":
        lines = _one(lines)
    defines = statement.work == "all" and not statement.reads  # what each thread then has for itself
    return [*comments, *lines, *([] if defines else ["grid.meet();"])]


def dealt(lines: list[str]) -> list[str]:
    """Outermost loops by turns, definitions by every thread, all else by the first."""
    result: list[str] = []
    for part in _parts(lines):
        loop = _LOOP.match(part[0])
        if loop:
            index, size = loop.groups()
            head = f"for (u64 {index} = grid.first; {index} < {size}; {index} += grid.step) {{"
            result += [head, *part[1:]]
        elif part[0] == "{":
            result += braced(dealt([line[2:] for line in part[1:-1]]))
        else:
            result += part if part[0].startswith("const ") else _one(part)
    return result


def _one(lines: list[str]) -> list[str]:
    return ["if (grid.first == 0) {", *("  " + line for line in lines), "}"]


def _parts(lines: list[str]) -> list[list[str]]:
    """Whole statements: what is indented, and what closes, goes with the line before."""
    parts: list[list[str]] = []
    for line in lines:
        if line.startswith((" ", "}")):
            parts[-1].append(line)
        else:
            parts.append([line])
    return parts
