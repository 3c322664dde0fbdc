"""A seed is for random keys: a loss that takes none has no use for it."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    learner=ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=1, seed=7),
)
