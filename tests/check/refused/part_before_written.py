"""After a combine on a mesh each member holds its own part alone."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Mesh(),
    regions={"x": ab.Region("f32", (4,), initial=0.0), "go": ab.Word(initial=0)},
    operations=[],
    contract=ab.Contract(),
    protocol=ab.Sequence(ab.Combine("x"), ab.Transfer(0, 1, "x")),
)
