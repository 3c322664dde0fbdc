"""A contract is a Contract."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract="tree",
    protocol=ab.Combine("x"),
)
