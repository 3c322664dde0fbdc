"""Cases for loops and branches: scan and its gradient, while with one and with many predicates, cond."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from learner.programs import Case, case

_RNG = np.random.default_rng(7)
_TABLE = np.arange(3, dtype=np.float32)


def normal(*shape: int) -> np.ndarray:
    return _RNG.normal(size=shape).astype(np.float32)


def grown(value: Any) -> Any:
    return value + np.float32(0.1) * value**2


def recurrent(w: Any, x: Any) -> Any:
    """Closes over an array, carries one value, gives one a step."""

    def step(carry: Any, row: Any) -> Any:
        carry = jnp.tanh(carry * w + row + _TABLE.sum())
        return carry, carry * _TABLE

    carry, rows = lax.scan(step, jnp.zeros(3), x)
    return jnp.sum(rows) + jnp.sum(carry**2)


def _nested(x: Any) -> Any:
    def outer(carry: Any, row: Any) -> Any:
        return lax.scan(lambda a, b: (a * b + _TABLE, a), carry, x)[0], row

    return lax.scan(outer, jnp.ones(3), x)


def _counted(limit: Any, x: Any) -> Any:
    return lax.while_loop(lambda c: c[0] < limit, lambda c: (c[0] + 1, grown(c[1]) * _TABLE), (0, x))[1]


def _switch(index: Any, x: Any) -> Any:
    return lax.switch(index, [lambda x: x * _TABLE, lambda x: -x, lambda x: x], x)


_ONE = np.float32(1)
FIVE_TIMES = {
    "while": case(
        lambda x: lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, grown(c[1])), (0, x))[1], _ONE
    ),
    "fori": case(lambda x: lax.fori_loop(0, 5, lambda _, v: grown(v), x), _ONE),
    "scan": case(lambda x: lax.scan(lambda v, _: (grown(v), None), x, None, length=5)[0], _ONE),
}
EXACT: dict[str, dict[str, Case]] = {
    "scan": {
        "five": FIVE_TIMES["scan"],
        "fori": FIVE_TIMES["fori"],
        "reverse": case(
            lambda x: lax.scan(lambda c, t: (c + t, c * t), jnp.zeros(3), x, reverse=True), normal(4, 3)
        ),
        "nested": case(_nested, normal(2, 3)),
        **{
            f"length{n}": case(
                lambda x: lax.scan(lambda c, t: (c + t, c * t + _TABLE), jnp.ones(3), x), normal(n, 3)
            )
            for n in (1, 2)
        },
    },
    "while": {
        "five": FIVE_TIMES["while"],
        "none": case(lambda x: lax.while_loop(lambda v: v < 0, grown, x), _ONE),
    },
    "cond": {
        **{
            f"flag{int(p)}": case(
                lambda p, x: lax.cond(p, lambda x: x * _TABLE, jnp.negative, x), p, normal(3)
            )
            for p in (np.True_, np.False_)
        },
        **{f"at{i + 3}": case(_switch, np.int32(i), normal(3)) for i in (-3, 0, 1, 9)},
    },
}
CLOSE: dict[str, dict[str, Case]] = {
    "scan": {
        "gradient": case(jax.value_and_grad(recurrent, argnums=(0, 1)), normal(3), normal(4, 3)),
        "samples": case(
            jax.vmap(jax.value_and_grad(recurrent), in_axes=(None, 0)), normal(3), normal(5, 4, 3)
        ),
    },
    "while": {"many": case(jax.vmap(_counted), np.array([0, 3, 5], np.int32), normal(3, 3))},
}
