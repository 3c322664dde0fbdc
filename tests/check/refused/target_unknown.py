"""Targets are x86_64 and aarch64, for members."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    pairing={1: ab.Target("arm64"), 2: "aarch64", 3: ab.Target("aarch64")},
    protocol=ab.Skip(),
)
