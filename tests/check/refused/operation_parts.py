"""Parts are of regions that the operation uses, and a word has none."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Mesh(),
    regions={"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)},
    operations=[ab.Operation("halve", writes="go", parts=["go", "x"], cpp="")],
    contract=ab.Contract(),
    protocol=ab.Everyone("halve"),
)
