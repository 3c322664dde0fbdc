"""An authority is a member."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"go": ab.Word(initial=0), "x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Choice(authority=7, selector="go", then=ab.Transfer(0, 1, "x")),
)
