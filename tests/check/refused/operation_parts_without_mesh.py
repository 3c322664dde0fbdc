"""Only members of a mesh hold parts."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)},
    operations=[ab.Operation("halve", reads="x", writes="x", parts="x", cpp="")],
    contract=ab.Contract(),
    protocol=ab.Everyone("halve"),
)
