"""A tree's fan-out is at least one."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Tree(fanout=0),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Skip(),
)
