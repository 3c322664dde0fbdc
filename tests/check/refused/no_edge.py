"""A transfer runs along an edge: leaves of a star share none."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Transfer(1, 2, "x"),
)
