"""So are an operation's."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    operations=[ab.Operation("work", reads="x", writes="y", cpp="")],
    protocol=ab.Local(0, "work"),
)
