"""Sizes, strides and offsets as polynomials in the run-time row count, printed as C++."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest

from ..program import Dimension


@dataclass(frozen=True)
class Extent:
    """coefficients[p] times rows to the power p, no trailing zero; () is zero."""

    coefficients: tuple[int, ...] = ()

    def __add__(self, other: Extent) -> Extent:
        return _trimmed(a + b for a, b in zip_longest(self.coefficients, other.coefficients, fillvalue=0))

    def __mul__(self, other: Extent) -> Extent:
        result = [0] * (len(self.coefficients) + len(other.coefficients))
        for i, a in enumerate(self.coefficients):
            for j, b in enumerate(other.coefficients):
                result[i + j] += a * b
        return _trimmed(result)

    def scaled(self, factor: int) -> Extent:
        return _trimmed(c * factor for c in self.coefficients)

    @property
    def is_zero(self) -> bool:
        return not self.coefficients

    @property
    def is_one(self) -> bool:
        return self.coefficients == (1,)

    @property
    def is_backwards(self) -> bool:
        """Whether as a stride it walks towards the front."""
        return any(c < 0 for c in self.coefficients)

    @property
    def fixed(self) -> int | None:
        """The integer that it is, if it does not depend on rows."""
        return (self.coefficients or (0,))[0] if len(self.coefficients) <= 1 else None

    def at(self, rows: int) -> int:
        return sum(c * rows**p for p, c in enumerate(self.coefficients))

    def cpp(self, rows: str = "rows") -> str:
        """A C++ expression; a sum is not bracketed."""
        terms: list[str] = []
        for power, coefficient in enumerate(self.coefficients):
            if coefficient != 0:
                factors = [] if coefficient == 1 and power else [str(coefficient)]
                terms.append(" * ".join(factors + [rows] * power))
        return " + ".join(reversed(terms)).replace("+ -", "- ") or "0"


def _trimmed(coefficients: Iterable[int]) -> Extent:
    kept = list(coefficients)
    while kept and kept[-1] == 0:
        kept.pop()
    return Extent(tuple(kept))


ZERO = Extent()
ONE = Extent((1,))


def extent(size: Dimension) -> Extent:
    return Extent((0, 1)) if size == "rows" else _trimmed([size])


def product(shape: Iterable[Dimension]) -> Extent:
    result = ONE
    for size in shape:
        result = result * extent(size)
    return result


def row_major(shape: tuple[Dimension, ...]) -> tuple[Extent, ...]:
    """Strides in elements of a contiguous array."""
    strides: list[Extent] = []
    step = ONE
    for size in reversed(shape):
        strides.append(step)
        step = step * extent(size)
    return tuple(reversed(strides))
