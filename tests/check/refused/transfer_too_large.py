"""A region has a bound."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (2**20, 2**20), initial=0.0)},
    protocol=ab.Transfer(0, 1, "x"),
)
