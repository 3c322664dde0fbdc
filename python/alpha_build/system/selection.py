"""Which roles are members: strides, repeats of a part, parts joined; and the index that look-ups walk."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stride:
    """start, start + step, ... (`count` members)."""

    start: int
    step: int
    count: int


@dataclass(frozen=True)
class Repetition:
    """The part, shifted by 0, period, 2 period, ... (`count` times)."""

    count: int
    period: int
    part: Selection


@dataclass(frozen=True)
class Joined:
    """The parts one after the other."""

    parts: tuple[Selection, ...]


Selection = Stride | Repetition | Joined


def stride(start: int, step: int, count: int) -> Stride:
    """Members start, start + step, ..., `count` of them."""
    return Stride(start, step, count)


def repeat(count: int, period: int, part: Selection) -> Repetition:
    """The part `count` times, each `period` after the last."""
    return Repetition(count, period, part)


def join(*parts: Selection) -> Joined:
    """The parts one after the other, in ascending order."""
    return Joined(parts)


@dataclass(frozen=True)
class Node:
    """One checked node of a selection: how many members, the first and the last, and its parts' nodes."""

    form: Selection
    count: int
    first: int
    last: int
    parts: tuple[Node, ...] = ()
    counts_before: tuple[int, ...] = ()  # of a join: members before each part

    def member(self, index: int) -> int:
        """The index-th member's role, 0 <= index < count."""
        match self.form:
            case Stride(start, step, _):
                return start + step * index
            case Repetition(_, period, _):
                turn, rest = divmod(index, self.parts[0].count)
                return turn * period + self.parts[0].member(rest)
            case Joined():
                part = bisect_right(self.counts_before, index) - 1
                return self.parts[part].member(index - self.counts_before[part])

    def rank(self, role: int) -> int | None:
        """Position of a role among the members, None when it is none."""
        if not self.first <= role <= self.last:
            return None
        match self.form:
            case Stride(start, step, _):
                turn, rest = divmod(role - start, step or 1)
                return turn if rest == 0 else None
            case Repetition(count, period, _):
                part = self.parts[0]
                turn = min((role - part.first) // period, count - 1) if period else 0
                rank = part.rank(role - turn * period)
                return None if rank is None else turn * part.count + rank
            case Joined():
                index = bisect_right([part.first for part in self.parts], role) - 1
                rank = self.parts[index].rank(role)
                return None if rank is None else self.counts_before[index] + rank


def encode(selection: Selection) -> list[Any]:
    """Nested arrays for the membership digest, as written."""
    match selection:
        case Stride(start, step, count):
            return ["stride", start, step, count]
        case Repetition(count, period, part):
            return ["repeat", count, period, encode(part)]
        case Joined(parts):
            return ["join", *(encode(part) for part in parts)]
