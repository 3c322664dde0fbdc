"""The user's loss and metric as functions of one sample, and what they raise as failures with a place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ..system.errors import AlphaError, LearnerFailure
from .trace_data import Samples
from .trace_jax import abstract
from .trace_places import place_of_exception

One = Callable[[Any, Any], Any]


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
        return LearnerFailure(
            f"the {what} uses a collective over an axis ({first})",
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
    if isinstance(error, jax.errors.ConcretizationTypeError | jax.errors.TracerArrayConversionError):
        return LearnerFailure(
            f"the {what} needs a number while it is traced ({text})",
            kind="traced",
            where=where,
            hint="use jnp functions, and jnp.where in the place of Python's if",
        )
    return LearnerFailure(f"{step} cannot be traced: {text}", kind="raised", where=where)


def _one_sample(samples: Samples) -> list[Any]:
    return [abstract(array.shape[1:], array.dtype) for array in samples.arrays]


def _called_with(samples: Samples) -> str:
    return "it is called with one sample, of shapes " + ", ".join(
        f"{array.dtype.name}{list(array.shape[1:])}" for array in samples.arrays
    )


def loss_of_one(loss: Any, params: Any, samples: Samples) -> One:
    """loss(params, sample) for one sample, once its result is known to be one real scalar."""

    def one(params: Any, values: Any) -> Any:
        return samples.call(loss, params, values)

    try:
        with tracing("loss", "the loss"):
            result = jax.eval_shape(one, params, tuple(_one_sample(samples)))
    except LearnerFailure as failure:
        if failure.hint is None:
            failure.hint = _called_with(samples)
        raise
    leaves = jax.tree_util.tree_leaves(result)
    if isinstance(result, (tuple, dict, list)) or len(leaves) != 1:
        raise LearnerFailure(
            "the loss gives more than one value",
            kind="loss-scalar",
            where=_place_of_function(loss),
            hint="return the loss alone: auxiliary values and mutable state are not carried",
        )
    shape, dtype = leaves[0].shape, leaves[0].dtype
    if shape != ():
        raise LearnerFailure(
            f"the loss gives shape {tuple(shape)} for one sample: it looks like a batch loss",
            kind="loss-scalar",
            where=_place_of_function(loss),
            hint="write it for one sample and return a scalar; batching and the mean are alpha-build's",
        )
    if not jnp.issubdtype(dtype, np.floating):
        raise LearnerFailure(
            f"the loss gives {np.dtype(dtype).name} for one sample, not a real number",
            kind="loss-scalar",
            where=_place_of_function(loss),
            hint="return a floating-point scalar",
        )
    return one


def metric_of_one(metric: Any, params: Any, samples: Samples) -> tuple[One, tuple[str, ...]]:
    """metric(params, sample) as a list of scalars, and their names; a bare scalar is named "metric"."""

    def call(params: Any, values: Any) -> Any:
        return samples.call(metric, params, values)

    try:
        with tracing("metric", "the metric"):
            result = jax.eval_shape(call, params, tuple(_one_sample(samples)))
    except LearnerFailure as failure:
        if failure.hint is None:
            failure.hint = _called_with(samples)
        raise
    named = result if isinstance(result, dict) else {"metric": result}
    for name, value in named.items():
        if not (isinstance(name, str) and hasattr(value, "shape") and value.shape == ()):
            raise LearnerFailure(
                f"metric {name!r} is no scalar for one sample",
                kind="metric",
                where=_place_of_function(metric),
                hint="return a scalar, or a dict of scalars by name; means over samples are alpha-build's",
            )
        if jnp.issubdtype(value.dtype, np.complexfloating):
            raise LearnerFailure(
                f"metric {name!r} is complex",
                kind="metric",
                where=_place_of_function(metric),
                hint="return real scalars",
            )

    names = tuple(sorted(named))

    def one(params: Any, values: Any) -> Any:
        result = call(params, values)
        named = result if isinstance(result, dict) else {"metric": result}
        return [jnp.asarray(named[name]) for name in names]

    return one, names


def _place_of_function(function: Any) -> str | None:
    """`digits.py:12`, through functools.partial and jax.jit."""
    while True:
        inner = getattr(function, "func", None) or getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    return f"{code.co_filename.rpartition('/')[2]}:{code.co_firstlineno}" if code else None
