"""A child of the root may have more edges than the root."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=1_100_000,
    topology=ab.Tree(fanout=1000),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Skip(),
)
