"""Named memory that members hold and exchange, and operations on it given as C++ source."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from .place import Place, user_place


@dataclass(frozen=True)
class Region:
    """Array of `element` ("f32", "f64", "i32", "i64", "bytes", "bf16", "f16") at every member that uses it.

    With `initial` each element starts with that value; without, it must be written before it is read.
    """

    element: str
    shape: tuple[int, ...] = ()
    initial: float | int | None = None
    place: Place = field(default_factory=user_place, compare=False, repr=False, kw_only=True)

    @property
    def count(self) -> int:
        """Elements."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Word:
    """One choice, 0 or 1."""

    initial: int | None = None
    place: Place = field(default_factory=user_place, compare=False, repr=False, kw_only=True)

    @property
    def element(self) -> str:
        return "word"

    @property
    def shape(self) -> tuple[int, ...]:
        return ()

    @property
    def count(self) -> int:
        """Elements."""
        return 1


@dataclass(frozen=True, init=False)
class Operation:
    """Local work as C++ source.

    Each region that it `reads` or `writes` is a span of its element type (a `Word` a reference) under the
    region's name; of those that are also in `parts` (a mesh) the span is the role's own part.  `round` counts
    the innermost repeat from 0; functions and includes go in `preamble`.
    """

    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    cpp: str | None
    preamble: str
    parts: tuple[str, ...]
    place: Place = field(compare=False, repr=False)

    def __init__(
        self,
        name: str,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        cpp: str | None = None,
        preamble: str = "",
        parts: Sequence[str] = (),
    ) -> None:
        values = (name, _names(reads), _names(writes), cpp, preamble, _names(parts), user_place())
        keys = ("name", "reads", "writes", "cpp", "preamble", "parts", "place")
        for key, value in zip(keys, values, strict=True):
            object.__setattr__(self, key, value)


def _names(names: Sequence[str]) -> tuple[str, ...]:
    """One name or several; a bare string is one name, not its letters."""
    return (names,) if isinstance(names, str) else tuple(names)
