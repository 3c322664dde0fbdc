"""Elements have names."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("float32", (4,))},
    protocol=ab.Skip(),
)
