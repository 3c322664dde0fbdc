"""An operation needs a source for its role's target."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    operations=[ab.Operation("work")],
    protocol=ab.Sequence(ab.Local(1, "work"), ab.Everyone("work")),
)
