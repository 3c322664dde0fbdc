"""A count is not negative."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Repeat(-1, ab.Transfer(0, 1, "x")),
)
