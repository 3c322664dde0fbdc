"""After one arm the region lies in parts, after the other it is whole."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Mesh(),
    regions={"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)},
    operations=[],
    contract=ab.Contract(),
    protocol=ab.Sequence(ab.Choice(0, "go", ab.Combine("x")), ab.Deliver("x")),
)
