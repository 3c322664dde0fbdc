"""A combining tree has children."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Mesh(),
    regions={"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)},
    operations=[],
    contract=ab.Contract(fanout=0),
    protocol=ab.Combine("x"),
)
