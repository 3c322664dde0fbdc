"""Scratch memory of a lowered program, planned while lowering: slots reused by values that live apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..program import Dimension
from .extent import Extent
from .tree import Strides, Tree

ROWS_UNIT = 64  # rows are rounded up to this in slot sizes, so that every slot starts at a cache line


# Who does a statement's work where many threads share a program: "one" of them; "each" its part of the
# outermost loops; or "all" the same, since it defines what each needs or shares the work out itself.
Work = Literal["one", "each", "all"]


@dataclass(frozen=True)
class Store:
    """A tree written to a buffer, element by element over a shape."""

    name: str
    shape: tuple[Dimension, ...]
    strides: Strides
    tree: Tree
    comment: str | None


@dataclass
class Statement:
    """Lines of C++ with the buffers and scalars that they read and write; one loop of `stores`, if any."""

    lines: list[str]
    reads: set[str]
    writes: set[str]
    stores: tuple[Store, ...] = ()
    work: Work = "one"


@dataclass(frozen=True)
class Buffer:
    """A scratch array: `kind` is its C++ element type, `count` elements of `element_bytes` each."""

    name: str
    kind: str
    count: Extent
    element_bytes: int
    passing: bool = False  # lives for one statement only


@dataclass
class _Slot:
    sort: tuple[int, str, bool]  # power of rows, element type, passing: what may share a slot
    unit_bytes: int  # bytes a (padded row count to the power), a multiple of 64 in all
    free_after: int = -1


@dataclass
class Plan:
    """Byte offset of each scratch buffer as C++ and as a number; `bytes_at(rows)` of all together."""

    offsets: dict[str, Extent] = field(default_factory=dict)
    total: Extent = field(default_factory=Extent)

    def bytes_at(self, rows: int) -> int:
        return self.total.at(padded(rows))


def padded(rows: int) -> int:
    return (rows + ROWS_UNIT - 1) // ROWS_UNIT * ROWS_UNIT


def plan(statements: list[Statement], buffers: dict[str, Buffer]) -> Plan:
    """First fit by time of life, apart for each power of rows and element type."""
    first, last = _lives(statements, buffers)
    slots: list[_Slot] = []
    chosen: dict[str, int] = {}
    for name in sorted(first, key=lambda name: (first[name], name)):
        buffer = buffers[name]
        power = max(len(buffer.count.coefficients) - 1, 0)
        unit = sum(buffer.count.coefficients) * buffer.element_bytes  # rows >= 1, so lower powers are within
        unit = unit if power else (unit + 63) // 64 * 64
        sort = (power, buffer.kind, buffer.passing)
        chosen[name] = _place(slots, sort, unit, first[name], last[name])
    return _offsets(slots, chosen)


def _lives(statements: list[Statement], buffers: dict[str, Buffer]) -> tuple[dict[str, int], dict[str, int]]:
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for time, statement in enumerate(statements):
        for name in (statement.reads | statement.writes) & buffers.keys():
            first.setdefault(name, time)
            last[name] = time
    return first, last


def _place(slots: list[_Slot], sort: tuple[int, str, bool], unit: int, first: int, last: int) -> int:
    fitting = [i for i, slot in enumerate(slots) if slot.sort == sort and slot.free_after < first]
    if not fitting:
        slots.append(_Slot(sort, unit, last))
        return len(slots) - 1
    best = min(fitting, key=lambda i: (abs(slots[i].unit_bytes - unit), i))
    slots[best].unit_bytes = max(slots[best].unit_bytes, unit)
    slots[best].free_after = last
    return best


def _offsets(slots: list[_Slot], chosen: dict[str, int]) -> Plan:
    result = Plan()
    starts: list[Extent] = []
    for slot in slots:
        starts.append(result.total)
        result.total = result.total + Extent((0,) * slot.sort[0] + (slot.unit_bytes,))
    result.offsets = {name: starts[index] for name, index in chosen.items()}
    return result
