# iris.py
from pathlib import Path
import jax.numpy as jnp, numpy as np, optax, sklearn.datasets
import alpha_build as ab

table = Path(sklearn.datasets.__file__).with_name("data") / "iris.csv"     # four lengths and a species, after a line that is neither
flowers = ab.Samples(table, arrays={"x": range(4), "species": 4}, header=1, embed=False)   # each member's rows lie beside its executable

def logits(params, x):
    return x @ params["w"] + params["b"]

def loss(params, x, species):
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits(params, x), species)

def metric(params, x, species):
    return {"accuracy": (jnp.argmax(logits(params, x)) == species).astype(jnp.float32)}

system = ab.System(
    name="iris",
    members=3,
    topology=ab.Star(),
    learner=ab.Learner(loss, state={"w": np.zeros((4, 3), np.float32), "b": np.zeros(3, np.float32)},
        optimizer=optax.adam(0.05), samples=flowers, shuffle=0, batch=60, rounds=2000,     # 60, 60 and 30 samples
        evaluation=ab.Evaluation(metric, samples=flowers, every=20),
        stop=ab.Stop("accuracy", patience=5, mode="max")),                 # or as soon as 100 rounds brought nothing
)
