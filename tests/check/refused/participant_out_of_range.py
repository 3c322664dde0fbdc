"""A role that is no member cannot work."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    operations=[ab.Operation("work", cpp="")],
    protocol=ab.Local(3, "work"),
)
