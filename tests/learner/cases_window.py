"""Cases for the rows that slide windows: convolutions, pooling and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from learner.programs import Case, case

_RNG = np.random.default_rng(6)


def normal(*shape: int) -> np.ndarray:
    return _RNG.normal(size=shape).astype(np.float32)


def _convolve(**parameters: Any) -> Callable[..., Any]:
    given = {"window_strides": (1, 1), "padding": "SAME", "dimension_numbers": ("NHWC", "HWIO", "NHWC")}
    return lambda x, w: lax.conv_general_dilated(x, w, **(given | parameters))


def _both_ways(name: str, x: np.ndarray, w: np.ndarray, **parameters: Any) -> dict[str, Case]:
    """A convolution and its gradients to both operands."""
    forward = _convolve(**parameters)
    gradient = jax.grad(lambda x, w: jnp.sum(jnp.sin(forward(x, w))), argnums=(0, 1))
    return {name: case(forward, x, w), f"{name}_gradient": case(gradient, x, w)}


def highest(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def _overlapping(x: Any) -> Any:
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 1, 1), "SAME")


def mean(x: Any) -> Any:
    return lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 1, 1), "SAME")


def _gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    return jax.grad(lambda x: jnp.sum(jnp.sin(function(x))))


_HOLES = {"window_dimensions": (2, 2), "window_strides": (1, 1), "padding": ((1, 1), (0, 2))}
_TIES = np.array([[2, 2, 1, 3], [2, 0, 3, 3], [1, 1, 1, 1], [1, 1, 1, 1]], np.float32).reshape(1, 4, 4, 1)
EXACT: dict[str, dict[str, Case]] = {
    "reduce_window_max": {
        "pool": case(highest, normal(2, 6, 7, 3)),
        "over": case(_overlapping, normal(2, 6, 7, 3)),
    },
    "reduce_window_min": {
        "holes": case(
            lambda x: lax.reduce_window(
                x, np.float32(np.inf), lax.min, base_dilation=(2, 1), window_dilation=(1, 2), **_HOLES
            ),
            normal(5, 6),
        )
    },
    "reduce_window_sum": {
        "i": case(
            lambda x: lax.reduce_window(x, np.int32(0), lax.add, **_HOLES),
            _RNG.integers(-9, 9, (5, 6)).astype(np.int32),
        )
    },
    "select_and_scatter_add": {
        "ties": case(jax.grad(lambda x: jnp.sum(highest(x) * 2)), _TIES),
        "over": case(jax.grad(lambda x: jnp.sum(_overlapping(x) * 2)), normal(2, 6, 7, 3)),
    },
    "reduce_window": {
        "product": case(
            lambda x: lax.reduce_window(x, np.int32(2), lax.mul, **_HOLES),
            _RNG.integers(-4, 4, (5, 6)).astype(np.int32),
        ),
    },
    "reduce": {
        "two": case(
            lambda x, y: lax.reduce(
                (x, y),
                (np.int32(2), np.int32(-9)),
                lambda a, b: (a[0] + 3 * b[0], lax.max(a[1], b[1])),
                (0, 2),
            ),
            _RNG.integers(-9, 9, (3, 4, 5)).astype(np.int32),
            _RNG.integers(-9, 9, (3, 4, 5)).astype(np.int32),
        ),
    },
    "select_and_gather_add": {
        "over": case(
            lambda x, t: jax.jvp(_overlapping, (x,), (t,))[1], normal(2, 6, 7, 3), normal(2, 6, 7, 3)
        )
    },
}
CLOSE: dict[str, dict[str, Case]] = {
    "reduce_window_sum": {
        "mean": case(mean, normal(2, 6, 7, 3)),
        "gradient": case(_gradient(mean), normal(2, 6, 7, 3)),
    },
    "conv_general_dilated": {
        **_both_ways("plain", normal(2, 5, 6, 3), normal(3, 3, 3, 4)),
        **_both_ways(
            "steps", normal(2, 7, 9, 3), normal(3, 2, 3, 4), window_strides=(2, 3), padding=((1, 2), (-1, 0))
        ),
        **_both_ways(
            "holes",
            normal(2, 5, 6, 3),
            normal(3, 2, 3, 4),
            rhs_dilation=(2, 1),
            lhs_dilation=(1, 3),
            padding=((2, 2), (1, 0)),
        ),
        **_both_ways(
            "first", normal(2, 3, 5, 6), normal(4, 3, 3, 3), dimension_numbers=("NCHW", "OIHW", "NCHW")
        ),
        **_both_ways("groups", normal(2, 5, 6, 4), normal(3, 3, 2, 6), feature_group_count=2),
        **_both_ways("depth", normal(2, 5, 6, 4), normal(3, 3, 1, 4), feature_group_count=4),
        "batches": case(_convolve(batch_group_count=2), normal(4, 5, 6, 3), normal(3, 3, 3, 4)),
        "odd": case(
            _convolve(dimension_numbers=("HNWC", "WOIH", "CNWH")), normal(5, 2, 6, 3), normal(3, 4, 3, 2)
        ),
        "line": case(
            lambda x, w: lax.conv_general_dilated(
                x, w, (2,), ((1, 1),), dimension_numbers=("NWC", "WIO", "NWC")
            ),
            normal(2, 9, 3),
            normal(3, 3, 4),
        ),
    },
}
