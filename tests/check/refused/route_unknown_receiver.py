"""A receiver is a member."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=4,
    topology=ab.Tree(fanout=2),
    regions={"go": ab.Word(initial=0), "x": ab.Region("f32", (4,), initial=0.0)},
    protocol=ab.Choice(authority=0, selector="go", routes=[(0, 1), (0, 9)], then=ab.Transfer(0, 1, "x")),
)
