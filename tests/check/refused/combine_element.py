"""Bytes have no sum."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("bytes", (4,), initial=0)},
    contract=ab.Contract(),
    protocol=ab.Combine("x"),
)
