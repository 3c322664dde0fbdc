"""Small pieces of C++ text: literals, constant names, lists folded at the line's end."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Sequence

from alpha_build.projector.project.program import ElementName

COLUMNS = 100

_CPP_TYPES: dict[ElementName, str] = {
    "bytes": "std::uint8_t",
    "f32": "float",
    "f64": "double",
    "i32": "std::int32_t",
    "i64": "std::int64_t",
    "word": "std::uint64_t",
    "bf16": "std::uint16_t",
    "f16": "std::uint16_t",
}
_PACKED: dict[ElementName, str] = {
    "bytes": "<B", "f32": "<f", "f64": "<d", "i32": "<i", "i64": "<q", "word": "<Q", "f16": "<e",
}  # fmt: skip


def cpp_type(element: ElementName) -> str:
    """The type of one element in an operation's source; bf16 and f16 are their bit patterns."""
    return _CPP_TYPES[element]


def bit_pattern(element: ElementName, value: float | int) -> int:
    """One element's bits as an unsigned integer."""
    if element == "bf16":
        return int.from_bytes(struct.pack("<f", value), "little") >> 16
    kind = _PACKED[element]
    exact = int(value) if kind[1] in "BiqQ" else float(value)
    return int.from_bytes(struct.pack(kind, exact), "little")


def literal(text: str | bytes) -> str:
    """A C++ string literal; bytes that do not print become octal escapes of three digits."""
    data = text.encode() if isinstance(text, str) else text
    printable = {ord('"'): '\\"', ord("\\"): "\\\\"}
    return '"' + "".join(
        printable.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in data
    ) + '"'  # fmt: skip


def literals(data: bytes, indent: int) -> str:
    """A long literal cut into adjacent ones, one a line."""
    width = COLUMNS - indent - 4
    lines, line, size = [], b"", 0
    for index in range(len(data)):
        piece = data[index : index + 1]
        cost = len(literal(piece)) - 2
        if line and size + cost > width:
            lines.append(literal(line))
            line, size = b"", 0
        line, size = line + piece, size + cost
    lines.append(literal(line))
    return ("\n" + " " * indent).join(lines)


def one_line(text: str) -> str:
    """Text for a comment: whatever the user named it, it stays on its line."""
    return re.sub(r"[\x00-\x1f\x7f\\]", "?", text)


def folded(items: Iterable[str], indent: int, first_column: int = 0, reserve: int = 0) -> str:
    """Comma-separated items, broken before the column bound; later lines start at `indent`."""
    text, column = "", max(first_column, indent)
    items = list(items)
    for position, item in enumerate(items):
        last = position == len(items) - 1
        width = len(item) + (reserve if last else 1)
        if position and column + 1 + width > COLUMNS:
            text += "\n" + " " * indent + item
            column = indent + len(item)
        else:
            text += (" " if position else "") + item
            column += (1 if position else 0) + len(item)
        if not last:
            text += ","
            column += 1
    return text


def call(name: str, arguments: Sequence[str], indent: int, tail: str = ",") -> str:
    """One call in a table, its arguments aligned after the bracket where they need more lines."""
    column = indent + len(name) + 1
    return f"{' ' * indent}{name}({folded(arguments, column, column, reserve=1 + len(tail))}){tail}"


def row(**fields: object) -> str:
    """One element of a table, four columns in: designated initialisers."""
    return "{" + folded((f".{name} = {value}" for name, value in fields.items()), 5, 5, reserve=2) + "},"


class Names:
    """Constant names of one file: kCamelCase, each taken once (a second `kRound` is `kRound2`)."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(reserved)

    def constant(self, *words: str) -> str:
        """A fresh name from any words; what is no letter or digit parts them."""
        parts = re.findall(r"[A-Za-z0-9]+", " ".join(words))
        return self.fresh("k" + "".join(part[0].upper() + part[1:] for part in parts))

    def fresh(self, name: str) -> str:
        candidate, number = name, 2
        while candidate in self._taken:
            candidate, number = f"{name}{number}", number + 1
        self._taken.add(candidate)
        return candidate
