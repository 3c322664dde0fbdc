"""GPU roles wait for a later release; nothing falls back to the host."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={"x": ab.Region("f32", (4,), initial=0.0)},
    pairing={1: ab.Target("x86_64", gpu="GPU-0")},
    protocol=ab.Skip(),
)
