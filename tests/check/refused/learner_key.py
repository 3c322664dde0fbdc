"""A key is the name of one of the loss's parameters."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    learner=ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=1, key=7),
)
