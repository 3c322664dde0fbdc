"""A process holds so many descriptors."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=1002,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Skip(),
)
