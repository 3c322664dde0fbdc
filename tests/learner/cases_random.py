"""Cases for the rows under random keys: JAX's bits, whatever is drawn from them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, random

from learner.programs import Case, case

_WORDS = np.asarray(random.key_data(random.key(5)))
_INSIDE = np.concatenate([np.linspace(-1, 1, 2001), [1 - 2**-24, 2**-24 - 1, 1e-30, -0.0, 2, np.nan]])


def _keyed(function: Callable[..., Any]) -> Case:
    """A function of one key, given as its words."""
    return case(lambda words: function(random.wrap_key_data(words)), _WORDS)


def _chosen(key: Any) -> Any:
    return random.key_data(jnp.where(jnp.sum(random.bits(key, (2,))) > 5, key, random.key(1)))


def _walk(key: Any) -> Any:
    return lax.scan(lambda k, _: (random.split(k)[0], random.uniform(k)), key, None, length=4)[1]


EXACT: dict[str, dict[str, Case]] = {
    "threefry2x32": {
        "bits": _keyed(lambda k: random.bits(k, (3, 5))),
        "bytes": _keyed(lambda k: random.bits(k, (3, 5), "uint8")),
        "one": _keyed(random.bits),
        "seed": case(lambda s: random.key_data(random.key(s)), np.int32(-7)),
        "fold": _keyed(lambda k: random.key_data(random.fold_in(random.fold_in(k, 9), 3))),
        "split": _keyed(lambda k: [random.key_data(each) for each in random.split(k, 3)]),
        "bernoulli": _keyed(lambda k: random.bernoulli(k, 0.3, (9,))),
        "integers": _keyed(lambda k: random.randint(k, (9,), -5, 100)),
        "samples": case(
            jax.vmap(lambda i: random.bits(random.fold_in(random.key(3), i), (4,))),
            np.arange(6, dtype=np.uint32),
        ),
        "chosen": _keyed(_chosen),
        "sliced": _keyed(lambda k: random.key_data(jnp.stack(list(random.split(k, 4)))[1:3])),
        "walk": _keyed(_walk),
    },
    "bitcast_convert_type": {
        "uniform": _keyed(lambda k: random.uniform(k, (9,))),
        "f": case(
            lambda x: lax.bitcast_convert_type(x, np.int32), np.array([0.0, -0.0, 1.5, np.inf], np.float32)
        ),
    },
    "stack": {
        "a": case(lambda x: jnp.stack([x, x * 2, x], axis=1), np.arange(6, dtype=np.float32).reshape(3, 2))
    },
}
CLOSE: dict[str, dict[str, Case]] = {
    "erf_inv": {
        "f": case(lax.erf_inv, _INSIDE.astype(np.float32)),
        "normal": _keyed(lambda k: random.normal(k, (300,))),
    },
}
