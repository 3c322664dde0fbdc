"""A form's reads and writes repeat the operation's own."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    operations=[ab.Operation("work", reads="x", cpp="")],
    protocol=ab.Local(0, "work", reads=["x"], writes=["x"]),
)
