"""Only members of a mesh exchange parts."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)},
    operations=[],
    contract=ab.Contract(),
    protocol=ab.Sequence(ab.Combine("x"), ab.Deliver("x", owners="parts")),
)
