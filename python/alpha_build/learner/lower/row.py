"""A row of the lowering table: how one primitive becomes C++, and which of its parameters that reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..program import Equation

if TYPE_CHECKING:
    from .lowering import Lowering


@dataclass(frozen=True)
class Row:
    """`reads` names the parameters that alter the result; only they are in a program and its digest."""

    lower: Callable[[Lowering, Equation], None]
    reads: tuple[str, ...] = ()
