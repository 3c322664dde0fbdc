"""A pair joins two."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Pair(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Skip(),
)
