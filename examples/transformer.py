# transformer.py
import numpy as np, jax, jax.numpy as jnp, optax
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
import alpha_build as ab

text = "".join(load().DESCR for load in (load_breast_cancer, load_diabetes, load_iris, load_wine))
letters = sorted(set(text))
codes = np.array([letters.index(letter) for letter in text], np.int32)
LENGTH, WIDTH, HEADS = 32, 32, 4
windows = np.lib.stride_tricks.sliding_window_view(codes, LENGTH + 1)[::16]
x, y = windows[:, :-1], windows[:, 1:]
test = np.arange(len(x)) % 8 == 7

def normal(x):                                # layer norm
    return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-5)

def attention(x, block):
    query, key, value = (x @ block[name] for name in ("query", "key", "value"))
    query, key, value = (v.reshape(LENGTH, HEADS, -1).swapaxes(0, 1) for v in (query, key, value))
    scores = query @ key.swapaxes(1, 2) / np.float32((WIDTH // HEADS) ** 0.5)
    seen = jnp.tril(jnp.ones((LENGTH, LENGTH), bool))
    weights = jax.nn.softmax(jnp.where(seen, scores, -1e9))
    return (weights @ value).swapaxes(0, 1).reshape(LENGTH, WIDTH) @ block["out"]

def logits(params, x):
    x = params["letters"][x] + params["places"]
    for block in params["blocks"]:
        x = x + attention(normal(x), block)
        x = x + jax.nn.gelu(normal(x) @ block["wide"]) @ block["narrow"]
    return normal(x) @ params["letters"].T

def loss(params, x, y):
    return optax.losses.softmax_cross_entropy_with_integer_labels(logits(params, x), y).mean()

def metric(params, x, y):
    return {"loss": loss(params, x, y), "accuracy": (jnp.argmax(logits(params, x), -1) == y).mean()}

rng = np.random.default_rng(0)

def draw(*shape):
    return rng.normal(0, 0.1, shape).astype(np.float32)

state = {"letters": draw(len(letters), WIDTH), "places": draw(LENGTH, WIDTH), "blocks": [
    {**{name: draw(WIDTH, WIDTH) for name in ("query", "key", "value", "out")},
     "wide": draw(WIDTH, 4 * WIDTH), "narrow": draw(4 * WIDTH, WIDTH)} for _ in range(2)]}

optimizer = optax.chain(                      # clipping by global norm, then AdamW on a cosine
    optax.clip_by_global_norm(1.0),
    optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 5e-3, 20, 200), weight_decay=1e-2),
)
system = ab.System(
    name="transformer",
    members=2,
    topology=ab.Pair(),
    learner=ab.Learner(loss, state=state, optimizer=optimizer, samples=(x[~test], y[~test]), batch=128, rounds=200,
        evaluation=ab.Evaluation(metric, samples=(x[test], y[test]), every=50)),
)
