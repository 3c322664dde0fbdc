# digits.py
import numpy as np, jax, jax.numpy as jnp, optax
from sklearn.datasets import load_digits
import alpha_build as ab

digits = load_digits()
x, y = (digits.data / 16).astype(np.float32), digits.target.astype(np.int32)
test = np.arange(len(y)) % 5 == 4

def logits(params, x):                        # one sample; batching is alpha-build's
    return jax.nn.relu(x @ params["w1"] + params["b1"]) @ params["w2"] + params["b2"]

def loss(params, x, y):
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits(params, x), y)

def metric(params, x, y):
    return {"accuracy": (jnp.argmax(logits(params, x)) == y).astype(jnp.float32)}

rng = np.random.default_rng(0)
state = {"w1": rng.normal(0, 0.1, (64, 32)).astype(np.float32), "b1": np.zeros(32, np.float32),
         "w2": rng.normal(0, 0.1, (32, 10)).astype(np.float32), "b2": np.zeros(10, np.float32)}

system = ab.System(
    name="digits",
    members=4,                                # or ab.ParticipantGroup(universe=..., epoch=..., identity=..., selection=...)
    topology=ab.Tree(fanout=2),               # ab.Pair(), ab.Star(), ab.Tree(fanout=F), ab.Mesh()
    learner=ab.Learner(loss, state=state, optimizer=optax.adam(1e-2), samples=(x[~test], y[~test]), batch=256, rounds=200,
        evaluation=ab.Evaluation(metric, samples=(x[test], y[test]), every=10)),
    contract=ab.Contract(order="tree", rounding="fused"),
    pairing={3: ab.Target("aarch64")},        # every other role: x86-64
)
