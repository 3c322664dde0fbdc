"""Copies of a repeat may not overlap."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=ab.ParticipantGroup(universe=99, selection=ab.repeat(3, 4, ab.stride(0, 3, 3))),
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Skip(),
)
