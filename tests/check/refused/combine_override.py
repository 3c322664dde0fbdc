"""A combine follows the system's topology and contract in this release."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract=ab.Contract(),
    protocol=ab.Sequence(
        ab.Combine("x", topology=ab.Tree(fanout=2)),
        ab.Combine("x", contract=ab.Contract(normalization="sum")),
    ),
)
