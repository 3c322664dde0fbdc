"""Cases for numbers of 16 bits, and for the rows that order and round: JAX's bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

from learner.programs import Case, case

_RNG = np.random.default_rng(8)
_WIDE = np.concatenate(
    [
        _RNG.normal(size=60) * 10.0 ** _RNG.integers(-6, 5, 60),
        [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, 65504],
    ]
)
NARROW = {"bf16": ml_dtypes.bfloat16, "f16": np.float16}


def _each(function: Callable[..., Any], *arguments: np.ndarray) -> dict[str, Case]:
    """The function in both formats."""
    return {
        name: case(function, *(np.asarray(a).astype(dtype) for a in arguments))
        for name, dtype in NARROW.items()
    }


def _normal(*shape: int) -> np.ndarray:
    return _RNG.normal(size=shape)


_TIES = np.array([[3, 1, 2, 1], [0, np.nan, -1, 0], [-0.0, 0.0, 5, -np.inf]], np.float32)
_HALVES = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 2.4, 2.6, 0.0, -0.0, 1e9, np.inf, np.nan], np.float32)
EXACT: dict[str, dict[str, Case]] = {
    "add": _each(lambda x: x + x[::-1], _WIDE),
    "mul": _each(lambda x: (x * x[::-1]) * x, _WIDE),
    "div": _each(lambda x: x / x[::-1], _WIDE),
    "sub": _each(lambda x: (x - x[::-1]) - 1, _WIDE),
    "abs": _each(lax.abs, _WIDE),
    "max": _each(lambda x: lax.max(x, x[::-1]), _WIDE),
    "floor": _each(lax.floor, _WIDE),
    "ceil": _each(lax.ceil, _WIDE),
    "sqrt": _each(lambda x: lax.sqrt(lax.abs(x)), _WIDE),
    "convert_element_type": {
        **{
            f"to_{name}": case(lambda x, d=dtype: lax.convert_element_type(x, d), _WIDE.astype(np.float32))
            for name, dtype in NARROW.items()
        },
        **{
            f"{name}_i": case(lambda x: lax.convert_element_type(x, np.int32), _WIDE.astype(dtype))
            for name, dtype in NARROW.items()
        },
        **{
            f"{name}_f": case(lambda x: lax.convert_element_type(x, np.float32), _WIDE.astype(dtype))
            for name, dtype in NARROW.items()
        },
    },
    "reduce_max": _each(lambda x: jnp.max(x, 0), _normal(9, 20)),
    "argmax": _each(jnp.argmax, _normal(40)),
    "gather": _each(lambda x: x.at[np.array([0, 99])].get(mode="fill"), _normal(4, 3)),
    "select_n": _each(lambda x: jnp.where(x > 0, x, -1), _WIDE),
    "sort": {
        "f": case(lambda x: lax.sort(x, dimension=1), _TIES),
        "axis": case(lambda x: lax.sort(x, dimension=0), _TIES),
        "keys": case(
            lambda x, y, z: lax.sort((x, y, z), num_keys=2),
            _RNG.integers(0, 3, 40).astype(np.int32),
            _RNG.integers(0, 3, 40).astype(np.float32),
            np.arange(40, dtype=np.int32),
        ),
        "argsort": case(lambda x: jnp.argsort(x, axis=1), _TIES),
        "empty": case(lax.sort, np.zeros(0, np.float32)),
    },
    "top_k": {
        "f": case(lambda x: lax.top_k(x, 3), _TIES[[0, 2]]),
        "i": case(lambda x: lax.top_k(x, 2), np.arange(9) % 4),
    },
    "round": {
        "even": case(lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), _HALVES),
        "away": case(lambda x: lax.round(x, lax.RoundingMethod.AWAY_FROM_ZERO), _HALVES),
    },
    "nextafter": {"f": case(lax.nextafter, _HALVES, _HALVES[::-1].copy())},
    "population_count": {"i": case(lax.population_count, np.array([0, 1, -1, 127], np.int8))},
    "reduce_precision": {"f": case(lambda x: lax.reduce_precision(x, 5, 10), _WIDE.astype(np.float32))},
}
CLOSE: dict[str, dict[str, Case]] = {
    "cumlogsumexp": {
        "f": case(lambda x: lax.cumlogsumexp(x, 1, reverse=True), (_normal(3, 9) * 90).astype(np.float32))
    },
}
