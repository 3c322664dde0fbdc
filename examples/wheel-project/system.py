# Two members, each with half of the measurements, fit y = slope * x + offset.
import jax.numpy as jnp, numpy as np, optax
import alpha_build as ab

from measurements import x, y

def loss(params, x, y):
    return (params["slope"] * x + params["offset"] - y) ** 2

def metric(params, x, y):
    return {"error": jnp.abs(params["slope"] * x + params["offset"] - y)}

system = ab.System(
    name="line", members=2, topology=ab.Pair(),
    learner=ab.Learner(loss, state={"slope": np.float32(0), "offset": np.float32(0)}, optimizer=optax.sgd(0.3),
        samples=(x, y), batch=64, rounds=50, evaluation=ab.Evaluation(metric, samples=(x, y), every=10)),
)
