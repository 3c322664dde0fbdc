# cnn.py
import numpy as np, jax, jax.numpy as jnp, optax
from jax import lax
from sklearn.datasets import load_digits
import alpha_build as ab

digits = load_digits()
x, y = (digits.images / 16).astype(np.float32)[..., None], digits.target.astype(np.int32)
test = np.arange(len(y)) % 5 == 4

def layer(x, w, b):                           # 3 x 3 convolution, rectifier, 2 x 2 maximum
    x = lax.conv_general_dilated(x[None], w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))[0] + b
    return lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, (2, 2, 1), (2, 2, 1), "VALID")

def logits(params, x, kept=None):
    x = layer(layer(x, params["w1"], params["b1"]), params["w2"], params["b2"]).reshape(-1)
    return (x if kept is None else jnp.where(kept, x / 0.9, 0)) @ params["w3"] + params["b3"]

def loss(params, x, y, key):                  # one sample, with a key of its own in every round
    kept = jax.random.bernoulli(key, 0.9, (64,))
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits(params, x, kept), y)

def metric(params, x, y):
    return {"accuracy": (jnp.argmax(logits(params, x)) == y).astype(jnp.float32)}

rng = np.random.default_rng(0)
shapes = {"w1": (3, 3, 1, 8), "b1": (8,), "w2": (3, 3, 8, 16), "b2": (16,), "w3": (64, 10), "b3": (10,)}
state = {name: (rng.normal(0, 0.15, shape) * (len(shape) > 1)).astype(np.float32) for name, shape in shapes.items()}

system = ab.System(
    name="cnn",
    members=2,
    topology=ab.Pair(),
    learner=ab.Learner(loss, state=state, optimizer=optax.adam(3e-3), samples=(x[~test], y[~test]), batch=128, rounds=150,
        key="key", seed=1, evaluation=ab.Evaluation(metric, samples=(x[test], y[test]), every=50)),
    contract=ab.Contract(order="canonical"),  # the same bits with any number of members
)
