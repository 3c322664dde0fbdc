"""A metric under a number."""

import numpy as np
import optax

import alpha_build as ab

x, y = np.ones((6, 2), np.float32), np.arange(6, dtype=np.float32)
state = {"w": np.zeros(2, np.float32)}


def loss(params, x, y):
    return (x @ params["w"] - y) ** 2


def metric(params, x, y):
    return {1: x @ params["w"]}


learner = ab.Learner(
    loss,
    state=state,
    optimizer=optax.sgd(0.1),
    samples=(x, y),
    rounds=3,
    evaluation=ab.Evaluation(metric, samples=(x, y)),
)
system = ab.System(name="refused", members=1, learner=learner)
