# logistic.py
import numpy as np, jax, optax
from sklearn.datasets import load_breast_cancer
import alpha_build as ab

cancer = load_breast_cancer()
x = ((cancer.data - cancer.data.mean(axis=0)) / cancer.data.std(axis=0)).astype(np.float32)
y = cancer.target.astype(np.float32)
test = np.arange(len(y)) % 5 == 4

def loss(params, x, y):
    fit = optax.losses.sigmoid_binary_cross_entropy(x @ params["w"] + params["b"], y)
    return fit + 1e-3 * (params["w"] ** 2).sum()

def metric(params, x, y):
    return {"accuracy": ((jax.nn.sigmoid(x @ params["w"] + params["b"]) > 0.5) == (y > 0.5)).astype(np.float32)}

system = ab.System(
    name="logistic",
    members=3,
    topology=ab.Star(),
    learner=ab.Learner(loss, state={"w": np.zeros(30, np.float32), "b": np.float32(0)},
        optimizer=optax.sgd(0.5, momentum=0.9), samples=(x[~test], y[~test]), rounds=100,
        evaluation=ab.Evaluation(metric, samples=(x[test], y[test]), every=25)),
)
