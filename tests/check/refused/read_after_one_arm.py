"""What one arm alone writes is not written after the choice."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"go": ab.Word(initial=1), "x": ab.Region("f32", (4,))},
    operations=[ab.Operation("fill", writes="x", cpp="x[0] = 0;")],
    protocol=ab.Sequence(
        ab.Choice(authority=0, selector="go", then=ab.Sequence(ab.Local(0, "fill"), ab.Transfer(0, 1, "x"))),
        ab.Transfer(1, 0, "x"),
    ),
)
