"""The authority's word is written before it decides."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"go": ab.Word(), "x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Choice(authority=1, selector="go", then=ab.Transfer(0, 1, "x")),
)
