"""The user's loss and metric as functions of one sample, and what they raise as failures with a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..system.errors import AlphaError, LearnerFailure, UnsupportedPrimitive
from .trace_data import SampleArrays
from .trace_jax import abstract
from .trace_keys import Key, key_type
from .trace_places import place_of_exception, place_of_function, place_of_primitive

One = Callable[..., Any]
CALLBACKS = {"pure_callback", "io_callback", "debug_callback", "debug_print", "python_callback"}


@contextmanager
def tracing(what: str, step: str) -> Iterator[None]:
    """Turns what a user's function raises into a LearnerFailure with his file and line."""
    try:
        yield
    except AlphaError:
        raise
    except Exception as error:
        raise _failure(error, what, step) from error


def _failure(error: Exception, what: str, step: str) -> LearnerFailure:
    first = str(error).strip().partition("\n")[0]
    where = place_of_exception(error)
    text = f"{type(error).__name__}: {first}" if first else type(error).__name__
    if isinstance(error, NameError) and "unbound axis name" in first:
        axis = first.partition("axis name: ")[2].partition(".")[0]
        return LearnerFailure(
            f"the {what} uses a collective over an axis named {axis!r}",
            kind="collective",
            where=where,
            hint="each sample stands alone, so psum and pmean have no axis: use layer or group norm",
        )
    if "Reverse-mode differentiation does not work for lax.while_loop" in str(error):
        return LearnerFailure(
            f"the {what} has a while_loop with a dynamic bound, which has no reverse-mode gradient",
            kind="while-gradient",
            where=where,
            hint="use lax.scan, or fori_loop with bounds known while tracing",
        )
    if isinstance(error, TypeError) and what == "optimizer" and ("value_fn" in first or "grad" in first):
        return LearnerFailure(
            f"the optimizer searches along a line ({first})",
            kind="line-search",
            where=where,
            hint="its update must need only gradients, state, parameters and the loss: use adam or sgd",
        )
    if isinstance(error, jax.errors.NonConcreteBooleanIndexError):
        return LearnerFailure(
            f"the {what} makes an array whose length depends on values ({text})",
            kind="traced",
            where=where,
            hint="keep the whole array and use jnp.where(condition, x, 0)",
        )
    if isinstance(error, jax.errors.ConcretizationTypeError | jax.errors.TracerArrayConversionError):
        return LearnerFailure(
            f"the {what} needs a number while it is traced ({text})",
            kind="traced",
            where=where,
            hint="use jnp functions, and jnp.where in the place of Python's if",
        )
    hint = _missing_key(error) if what == "loss" else "correct the line" if what == "optimizer" else None
    return LearnerFailure(f"{step} cannot be traced: {text}", kind="raised", where=where, hint=hint)


def _missing_key(error: Exception) -> str | None:
    """The remedy where a loss waits for the random key that nobody named."""
    found = re.search(
        r"missing 1 required (?:positional|keyword-only) argument: '(\w*(?:key|rng)\w*)'", str(error)
    )
    return f'if it is a random key, say so: key="{found[1]}"' if found else None


def _one_sample(samples: SampleArrays) -> list[Any]:
    return [abstract(array.shape[1:], array.dtype) for array in samples.arrays]


def _called_with(samples: SampleArrays) -> str:
    return "it is called with one sample, of shapes " + ", ".join(
        f"{array.dtype.name}{list(array.shape[1:])}" for array in samples.arrays
    )


def _forward(
    what: str, function: Any, one: One, params: Any, samples: SampleArrays, *more: Any
) -> tuple[Any, Any]:
    """Jaxpr and abstract result of a function of one sample; one that calls back into Python is refused."""
    if not callable(function):
        hint = f"give a function of the parameters and one sample: def {what}(params, x, y)"
        raise LearnerFailure(f"{what}={function!r} is no function", kind="raised", hint=hint)
    try:
        with tracing(what, f"the {what}"):
            closed, result = jax.make_jaxpr(one, return_shape=True)(
                params, tuple(_one_sample(samples)), *more
            )
    except LearnerFailure as failure:
        if failure.hint is None:
            failure.hint = _called_with(samples)
        raise
    found = place_of_primitive(closed.jaxpr, CALLBACKS)
    if found:
        raise UnsupportedPrimitive(
            f"primitive {found[0]} calls back into Python, and an executable holds no Python",
            kind="callback",
            where=found[1] or place_of_function(function),
            hint="remove the callback or print from the function",
        )
    return closed, result


@contextmanager
def placed(what: str, function: Any, forward: Any) -> Iterator[None]:
    """Gives failures of derived programs a line: of the primitive in `forward`, else of the function."""
    try:
        with tracing(what, f"the {what}'s gradient" if what == "loss" else f"the {what} over samples"):
            yield
    except AlphaError as failure:
        if failure.where is None:
            names = {"while"} if failure.kind == "while-gradient" else {failure.message.split(" ")[1]}
            found = place_of_primitive(forward.jaxpr, names)
            failure.where = (found and found[1]) or place_of_function(function)
        raise


def loss_of_one(loss: Any, params: Any, samples: SampleArrays, key: Key | None) -> tuple[One, Any]:
    """loss(params, sample, key or None) for one sample, known to give one real scalar, and its jaxpr."""

    def one(params: Any, values: Any, random: Any) -> Any:
        return samples.call(partial(loss, **{key.name: random}) if key else loss, params, values)

    forward, result = _forward("loss", loss, one, params, samples, key_type() if key else None)
    leaves = jax.tree_util.tree_leaves(result)
    if result is None:
        raise LearnerFailure(
            "the loss gives nothing",
            kind="loss-scalar",
            where=place_of_function(loss),
            hint="end it with return and the loss",
        )
    if isinstance(result, (tuple, dict, list)) or len(leaves) != 1:
        raise LearnerFailure(
            "the loss gives more than one value",
            kind="loss-scalar",
            where=place_of_function(loss),
            hint="return the loss alone: auxiliary values and mutable state are not carried",
        )
    shape, dtype = leaves[0].shape, leaves[0].dtype
    if shape != ():
        raise LearnerFailure(
            f"the loss gives shape {tuple(shape)} for one sample: it looks like a batch loss",
            kind="loss-scalar",
            where=place_of_function(loss),
            hint="write it for one sample and return a scalar; batching and the mean are alpha-build's",
        )
    if not jnp.issubdtype(dtype, np.floating):
        raise LearnerFailure(
            f"the loss gives {np.dtype(dtype).name} for one sample, not a real number",
            kind="loss-scalar",
            where=place_of_function(loss),
            hint="return a floating-point scalar",
        )
    return one, forward


def metric_of_one(metric: Any, params: Any, samples: SampleArrays) -> tuple[One, tuple[str, ...], Any]:
    """metric(params, sample) as a list of scalars, their names and the jaxpr; a bare scalar is "metric"."""

    def call(params: Any, values: Any) -> Any:
        return samples.call(metric, params, values)

    forward, result = _forward("metric", metric, call, params, samples)
    named = result if isinstance(result, dict) else {"metric": result}
    for name, value in named.items():
        if not (isinstance(name, str) and hasattr(value, "shape") and value.shape == ()):
            raise LearnerFailure(
                f"metric {name!r} is no scalar for one sample",
                kind="metric",
                where=place_of_function(metric),
                hint="return a scalar, or a dict of scalars by name; means over samples are alpha-build's",
            )
        if jnp.issubdtype(value.dtype, np.complexfloating):
            raise LearnerFailure(
                f"metric {name!r} is complex",
                kind="metric",
                where=place_of_function(metric),
                hint="return real scalars",
            )

    names = tuple(sorted(named))

    def one(params: Any, values: Any) -> Any:
        result = call(params, values)
        named = result if isinstance(result, dict) else {"metric": result}
        return [jnp.asarray(named[name]) for name in names]

    return one, names, forward
