"""Typed random keys as the 32-bit words that they are, and what random primitives do to these, as jaxprs.

A key of threefry2x32 is an axis of two uint32 behind its own shape.  Seeding, folding, splitting and drawing
are JAX's own functions, traced over those words, so the bits are JAX's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.random import prng

from ..system.errors import UnsupportedPrimitive
from .trace_jax import abstract

IMPLEMENTATION = "threefry2x32"
SAME = {"random_wrap", "random_unwrap", "random_clone"}


def is_key(aval: Any) -> bool:
    return bool(jnp.issubdtype(aval.dtype, jax.dtypes.prng_key))


def words_shape(aval: Any) -> tuple[Any, ...]:
    """Shape of the uint32 array that holds keys."""
    return (*aval.shape, *aval.dtype._impl.key_shape)


def key_type() -> Any:
    """A single key by its type alone."""
    return jax.eval_shape(lambda: jax.random.key(0, impl=IMPLEMENTATION))


@dataclass(frozen=True)
class Key:
    """The loss's parameter that takes a key, and the seed of all keys."""

    name: str
    seed: int

    def of_rows(self, rows: Any, number: Any, first: Any) -> Any:
        """fold_in(fold_in(key(seed), round), index in the batch) of each row of a block."""
        base = jax.random.fold_in(jax.random.key(self.seed, impl=IMPLEMENTATION), number)
        indices = lax.iota(np.uint32, rows) + first
        return jax.vmap(partial(jax.random.fold_in, base))(indices)


def _words(aval: Any) -> Any:
    return abstract(words_shape(aval), np.uint32) if is_key(aval) else abstract(aval.shape, aval.dtype)


def random_body(equation: Any, place: str) -> Any:
    """The closed jaxpr, over words, of a random primitive; None of any other primitive."""
    name, params = equation.primitive.name, equation.params
    avals = [atom.aval for atom in equation.invars]
    if name == "iota_2x32_shape":
        return jax.make_jaxpr(lambda: _counters(params["shape"]))()
    functions = {
        "random_seed": _seed,
        "random_fold_in": _fold_in,
        "random_split": _split,
        "random_bits": _bits,
    }
    if name not in functions:
        return None
    impl = params["impl"] if name == "random_seed" else avals[0].dtype._impl
    if impl.name != IMPLEMENTATION:
        raise UnsupportedPrimitive(
            f"primitive {name} of the generator {impl.name} has no lowering",
            kind="primitive",
            where=place or None,
            hint=f"use keys of {IMPLEMENTATION}, JAX's default",
        )
    return jax.make_jaxpr(functions[name](impl, avals, params))(*map(_words, avals))


def _seed(impl: Any, avals: Any, params: Any) -> Any:
    return lambda seeds: prng.random_seed_impl_base(seeds, impl=impl)  # type: ignore[no-untyped-call]


def _fold_in(impl: Any, avals: Any, params: Any) -> Any:
    shape = avals[0].shape
    return lambda words, data: prng.random_fold_in_impl_base(impl, words, data, shape)  # type: ignore[no-untyped-call]


def _split(impl: Any, avals: Any, params: Any) -> Any:
    axes, shape = len(avals[0].shape), params["shape"]
    return lambda words: prng.random_split_impl_base(impl, words, axes, shape=shape)  # type: ignore[no-untyped-call]


def _bits(impl: Any, avals: Any, params: Any) -> Any:
    axes = len(avals[0].shape)
    return lambda words: prng.random_bits_impl_base(impl, words, axes, **params)  # type: ignore[no-untyped-call]


def _counters(shape: tuple[int, ...]) -> Any:
    """0, 1, ... as two words each, the high one first."""
    count = math.prod(shape)
    assert count < 2**32, "an array of that many random numbers has no memory here"
    return lax.full(shape, np.uint32(0)), lax.reshape(lax.iota(np.uint32, count), shape)


_Append = Callable[[dict[str, Any], int, int], dict[str, Any]]
_APPEND: dict[str, _Append] = {
    "broadcast_in_dim": lambda params, axes, results: {
        "broadcast_dimensions": (*params["broadcast_dimensions"], results)
    },
    "transpose": lambda params, axes, results: {"permutation": (*params["permutation"], axes)},
    "slice": lambda params, axes, results: {
        "start_indices": (*params["start_indices"], 0),
        "strides": params["strides"] and (*params["strides"], 1),
    },
    "reshape": lambda params, axes, results: {"dimensions": None},
    **dict.fromkeys(
        (
            "squeeze", "expand_dims", "concatenate", "stack", "split", "select_n", "copy",
            "scan", "while", "cond",
        ),
        lambda params, axes, results: {},
    ),
}  # fmt: skip


def over_words(equation: Any, place: str) -> dict[str, Any]:
    """Parameters of a structural primitive on keys, for their words."""
    name = equation.primitive.name
    avals = [atom.aval for atom in equation.invars]
    if name in SAME or not any(is_key(aval) for aval in avals):
        return dict(equation.params)
    append = _APPEND.get(name)
    if append is None or (name == "select_n" and avals[0].shape):
        raise UnsupportedPrimitive(
            f"primitive {name} on random keys has no lowering",
            kind="primitive",
            where=place or None,
            hint="index or split keys, or work on jax.random.key_data",
        )
    key = next(aval for aval in avals if is_key(aval))
    results = len(equation.outvars[0].aval.shape)
    return {**equation.params, **append(equation.params, len(key.shape), results)}
