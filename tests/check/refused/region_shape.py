"""A shape is a tuple of sizes."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", 4), "y": ab.Region("f32", (-1,))},
    protocol=ab.Skip(),
)
