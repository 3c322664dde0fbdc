"""JAX on one core: a model's name as the argument, a number of steps a line; answers with seconds of a step,
by the clock and of the processor."""

from __future__ import annotations

import json
import os
import sys
import time

# Before JAX is loaded: one thread for operations, as the one core that this process may use.
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import optax
from models import MODELS, RATE


def main() -> None:
    model = MODELS[sys.argv[1]]()
    optimizer = optax.sgd(RATE)
    samples = tuple(map(jnp.asarray, model.samples))

    def mean_loss(params: object) -> jax.Array:
        axes = (None, *(0 for _ in samples))
        return jnp.mean(jax.vmap(model.loss, axes)(params, *samples))

    def one(params: object, state: object) -> tuple[object, object, jax.Array]:
        value, gradient = jax.value_and_grad(mean_loss)(params)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, value

    step = jax.jit(one, donate_argnums=(0, 1))
    params = jax.tree_util.tree_map(jnp.asarray, model.state)
    state = optimizer.init(params)
    params, state, value = step(params, state)  # compiles
    for line in sys.stdin:
        count, start, spent = int(line), time.perf_counter(), time.process_time()
        for _ in range(count):
            params, state, value = step(params, state)
            value.block_until_ready()
        walls, busy = time.perf_counter() - start, time.process_time() - spent
        print(json.dumps([[walls / count], [busy / count]]), flush=True)


if __name__ == "__main__":
    main()
