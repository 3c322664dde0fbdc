"""The lowering table: one row a primitive, and what a target does otherwise."""

from __future__ import annotations

from . import (
    contraction,
    control,
    convolution,
    folding,
    indexing,
    movement,
    ordering,
    pointwise,
    reduction,
    window,
)
from .row import Row

ROWS: dict[str, Row] = {
    **pointwise.ROWS,
    **movement.ROWS,
    **contraction.ROWS,
    **reduction.ROWS,
    **indexing.ROWS,
    **convolution.ROWS,
    **window.ROWS,
    **control.ROWS,
    **ordering.ROWS,
    **folding.ROWS,
}

# Rows that a target has in the place of the common ones.
OVERRIDES: dict[str, dict[str, Row]] = {"x86_64": {}, "aarch64": {}, "cuda": {}}


def row(primitive: str, target: str) -> Row | None:
    return OVERRIDES[target].get(primitive) or ROWS.get(primitive)


def supported(primitive: str) -> bool:
    return primitive in ROWS


def parameters_read(primitive: str) -> tuple[str, ...]:
    """Parameters that alter what a primitive gives: all that a program keeps of them."""
    return ROWS[primitive].reads


def primitives() -> list[str]:
    return sorted(ROWS)
