"""A budget is a positive number of seconds."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    budgets=ab.Budgets(connect=0, accept=-1, wait=float("inf"), frame="30", session=0),
    protocol=ab.Skip(),
)
