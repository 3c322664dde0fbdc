"""So is the product of nested counts: a version never wraps."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Repeat(2**31, ab.Repeat(2**31, ab.Repeat(4, ab.Transfer(0, 1, "x")))),
)
