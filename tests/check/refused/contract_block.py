"""A block is for order canonical, which is for learners."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract=ab.Contract(order="canonical", block=0),
    protocol=ab.Combine("x"),
)
