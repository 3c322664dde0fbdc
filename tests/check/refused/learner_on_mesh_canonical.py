"""Lists of nodes are not cut to parts in this release."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Mesh(),
    contract=ab.Contract(order="canonical"),
    learner=ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=1),
)
