"""Members are a whole number from 1 up, not True."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=True,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Skip(),
)
