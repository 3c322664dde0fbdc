"""Regions are Regions."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": (4,)},
    protocol=ab.Skip(),
)
