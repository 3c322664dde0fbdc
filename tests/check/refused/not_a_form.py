"""Several forms are a Sequence, not a list."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Sequence([ab.Transfer(0, 1, "x"), ab.Transfer(0, 2, "x")]),
)
