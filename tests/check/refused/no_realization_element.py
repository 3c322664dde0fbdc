"""No target works on 16-bit floats in this release."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("bf16", (4,))},
    operations=[ab.Operation("work", writes="x", cpp="")],
    protocol=ab.Local(1, "work"),
)
