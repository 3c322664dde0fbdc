"""An owner is a member."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract=ab.Contract(),
    protocol=ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners=3)),
)
