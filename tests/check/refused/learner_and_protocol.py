"""A learner brings its own protocol."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    protocol=ab.Skip(),
    learner=ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=1),
)
