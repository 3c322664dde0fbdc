"""The few untyped corners of JAX that tracing touches, with types."""

from __future__ import annotations

from typing import Any

import jax
from jax import export


def x64() -> bool:
    """Whether JAX keeps 64-bit types."""
    return bool(jax.config.read("jax_enable_x64"))  # type: ignore[no-untyped-call]


def abstract(shape: tuple[Any, ...], dtype: Any) -> Any:
    """An array by its type alone."""
    return jax.ShapeDtypeStruct(shape, dtype)  # type: ignore[no-untyped-call]


def symbolic_rows() -> Any:
    """The dimension that stands for the run-time row count."""
    (rows,) = export.symbolic_shape("rows")
    return rows
