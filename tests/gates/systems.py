"""System files for the gates: small, so that they build fast; a variant changes one thing of the identity."""

from __future__ import annotations

FIT = """\
import jax.numpy as jnp, numpy as np, optax
import alpha_build as ab
rng = np.random.default_rng(0)
x = rng.normal(size=(32, 4)).astype(np.float32)
y = (x @ np.arange(4, dtype=np.float32)).astype(np.float32)
{changes}
def loss(params, x, y):
    return (x @ params["w"] - y) ** 2
system = ab.System(
    name="fit", members={members}, topology=ab.Tree(fanout={fanout}),
    learner=ab.Learner(loss, state={{"w": np.zeros(4, np.float32)}}, optimizer=optax.sgd({rate}),
        samples=(x, y), rounds={rounds}),
    contract=ab.Contract(rounding="{rounding}"),
    pairing={pairing},
    budgets=ab.Budgets(connect=1, accept=1, wait=5, frame=5),
)
"""

DEFAULTS: dict[str, object] = {
    "members": 4,
    "fanout": 2,
    "rate": 0.05,
    "rounds": 3,
    "rounding": "fused",
    "changes": "",
    "pairing": "{}",
}


def fit(**changed: object) -> str:
    assert changed.keys() <= DEFAULTS.keys()
    return FIT.format(**{**DEFAULTS, **changed})


# What makes another run of the same shape: the executables may not be mixed.
OTHERS = {
    "learning rate": fit(rate=0.0625),
    "fan-out": fit(fanout=3),
    "epoch": fit(
        members='ab.ParticipantGroup(universe=4, epoch=1, identity=b"", selection=ab.stride(0, 1, 4))'
    ),
    "sample": fit(changes="x[3, 1] += 1"),
    "contract": fit(rounding="separate"),
}

IMPATIENT = """\
import alpha_build as ab
system = ab.System(
    name="pair", members=2, topology=ab.Pair(),
    regions={"g": ab.Region("f32", (6,), initial=1.0)},
    protocol=ab.Transfer(0, 1, "g"),
    budgets=ab.Budgets(connect=1, accept=1, wait=2, frame=1),
)
"""
