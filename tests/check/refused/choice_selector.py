"""A selector is a word."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"go": ab.Word(initial=0), "x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Choice(authority=0, selector="x", then=ab.Transfer(0, 1, "x")),
)
