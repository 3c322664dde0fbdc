"""The declared orders in plain Python, element by element with exact arithmetic: what kernels must equal."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

F = np.float32


def fused(left: F, right: F, total: F) -> F:
    """left * right + total, rounded once; signs of zero as IEEE has them."""
    exact = Fraction(float(left)) * Fraction(float(right)) + Fraction(float(total))
    if exact == 0:
        return F(left * right + total)
    return _nearest(exact)


def _nearest(exact: Fraction) -> F:
    guess = F(float(exact))
    near = [np.nextafter(guess, F(-np.inf)), guess, np.nextafter(guess, F(np.inf))]
    gaps = [abs(Fraction(float(value)) - exact) for value in near]
    best = min(gaps)
    ties = [value for value, gap in zip(near, gaps, strict=True) if gap == best]
    return next(value for value in ties if len(ties) == 1 or value.view(np.uint32) % 2 == 0)


def contraction(left: np.ndarray, right: np.ndarray, rounding: str) -> F:
    """k cut every 256; each part from +0 in ascending k; parts added in order to a +0 start."""
    whole = F(0)
    for start in range(0, len(left), 256):
        part = F(0)
        for a, b in zip(left[start : start + 256], right[start : start + 256], strict=True):
            part = fused(a, b, part) if rounding == "fused" else F(part + F(a * b))
        whole = F(whole + part)
    return whole


def reduction(values: np.ndarray) -> F:
    """Chunks of 4,096, 16 lanes, halving, chunks met by S(l, i)."""
    if len(values) == 0:
        return F(0)
    level = [_chunk(values[start : start + 4096]) for start in range(0, len(values), 4096)]
    while len(level) > 1:
        level = [
            F(level[i] + level[i + 1]) if i + 1 < len(level) else level[i] for i in range(0, len(level), 2)
        ]
    return level[0]


def _chunk(values: np.ndarray) -> F:
    lanes = [F(0)] * 16
    for i, value in enumerate(values):
        lanes[i % 16] = F(lanes[i % 16] + value)
    while len(lanes) > 1:
        half = len(lanes) // 2
        lanes = [F(lanes[j] + lanes[j + half]) for j in range(half)]
    return lanes[0]
