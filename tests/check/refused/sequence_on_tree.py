"""Order sequence needs one level in this release."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=5,
    topology=ab.Tree(fanout=2),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract=ab.Contract(order="sequence"),
    protocol=ab.Combine("x"),
)
