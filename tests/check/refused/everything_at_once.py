"""Every failure of a system is reported, not only the first."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract=ab.Contract(block=32),
    budgets=ab.Budgets(wait=0),
    protocol=ab.Sequence(
        ab.Transfer(0, 0, "x"),
        ab.Repeat(-1, ab.Sequence(ab.Transfer(1, 2, "x"), ab.Transfer(0, 9, "x"))),
        ab.Local(1, "nothing"),
    ),
)
