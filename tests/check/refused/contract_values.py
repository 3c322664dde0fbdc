"""Each field has its values."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    contract=ab.Contract(order="ring", rounding="up", normalization="max", nonfinite="ignore"),
    protocol=ab.Combine("x"),
)
