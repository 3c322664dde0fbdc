# diabetes.py
import numpy as np, optax
from sklearn.datasets import load_diabetes
import alpha_build as ab

diabetes = load_diabetes()
x = (diabetes.data / diabetes.data.std(axis=0)).astype(np.float32)
y = ((diabetes.target - diabetes.target.mean()) / diabetes.target.std()).astype(np.float32)
test = np.arange(len(y)) % 5 == 4

def predict(params, x):
    return x @ params["w"] + params["b"]

def loss(params, x, y):
    return (predict(params, x) - y) ** 2 / 2

def metric(params, x, y):
    return {"squared error": (predict(params, x) - y) ** 2}

system = ab.System(
    name="diabetes",
    members=2,
    topology=ab.Pair(),                       # both add both gradients: nothing is sent back
    learner=ab.Learner(loss, state={"w": np.zeros(10, np.float32), "b": np.float32(0)}, optimizer=optax.sgd(0.1),
        samples=(x[~test], y[~test]), rounds=300,                      # batch=None: all samples in every round
        evaluation=ab.Evaluation(metric, samples=(x[test], y[test]), every=50)),
)
