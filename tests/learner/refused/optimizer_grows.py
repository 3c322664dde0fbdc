"""An optimiser whose state grows."""

import jax.numpy as jnp
import numpy as np
import optax

import alpha_build as ab

x, y = np.ones((6, 2), np.float32), np.arange(6, dtype=np.float32)
state = {"w": np.zeros(2, np.float32)}


def loss(params, x, y):
    return (x @ params["w"] - y) ** 2


def update(gradient, state, params=None):
    return gradient, jnp.append(state, 1.0)


history = optax.GradientTransformation(lambda params: jnp.zeros(1), update)


learner = ab.Learner(loss, state=state, optimizer=history, samples=(x, y), rounds=3)
system = ab.System(name="refused", members=1, learner=learner)
