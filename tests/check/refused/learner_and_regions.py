"""A learner brings its own regions and operations."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    regions={"x": ab.Word()},
    operations=[ab.Operation("a", cpp="")],
    learner=ab.Learner(len, state=0.0, optimizer=None, samples=(), rounds=1),
)
