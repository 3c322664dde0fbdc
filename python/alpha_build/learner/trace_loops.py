"""A while_loop of many samples as one loop: it runs while any goes on, and those that are done stay."""

from __future__ import annotations

from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax.extend import core

from .trace_jax import abstract

Inputs = TypeVar("Inputs", bound=tuple[Any, ...])


def whole_predicate(inputs: Inputs, params: dict[str, Any]) -> tuple[Inputs, dict[str, Any]]:
    """Inputs and parameters of a `while` whose predicate is one boolean: JAX leaves a batched one in the
    primitive, with this meaning."""
    test, body = params["cond_jaxpr"], params["body_jaxpr"]
    (predicate,) = test.out_avals
    if predicate.shape == ():
        return inputs, params
    tests, bodies = params["cond_nconsts"], params["body_nconsts"]
    goes_on, step = core.jaxpr_as_fun(test), core.jaxpr_as_fun(body)

    def any_goes_on(*flat: Any) -> Any:
        return [jnp.any(goes_on(*flat)[0])]

    def one_step(*flat: Any) -> Any:
        carried = flat[tests + bodies :]
        (going,) = goes_on(*flat[:tests], *carried)
        stepped = step(*flat[tests:])
        return [_chosen(going, new, old) for new, old in zip(stepped, carried, strict=True)]

    tested = [abstract(aval.shape, aval.dtype) for aval in test.in_avals]
    stepped = [abstract(aval.shape, aval.dtype) for aval in body.in_avals]
    changed = dict(
        params,
        cond_jaxpr=jax.make_jaxpr(any_goes_on)(*tested),
        body_jaxpr=jax.make_jaxpr(one_step)(*tested[:tests], *stepped),
        body_nconsts=tests + bodies,
    )
    return (*inputs[:tests], *inputs), changed  # type: ignore[return-value]


def _chosen(going: Any, new: Any, old: Any) -> Any:
    wide = jnp.reshape(going, going.shape + (1,) * (new.ndim - going.ndim))
    return jnp.where(jnp.broadcast_to(wide, new.shape), new, old)
