"""A seed is for random keys, which wait for a later release."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    learner=ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=1, seed=7),
)
