"""Whole numbers as users give them: Python's and NumPy's, never a truth value or a float."""

from __future__ import annotations

import math
import operator
from typing import Any


def whole(value: Any) -> int | None:
    """The value as an int, or None when it is no whole number."""
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def seconds(value: Any) -> float | None:
    """The value as a positive, finite number of seconds, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and value > 0 else None
