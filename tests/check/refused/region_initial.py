"""An initial value fits its element."""

import alpha_build as ab

system = ab.System(
    name="refused",
    members=3,
    topology=ab.Star(),
    regions={
        "a": ab.Region("f32", initial=1e39),
        "b": ab.Region("i32", initial=2**31),
        "c": ab.Word(initial=2),
        "d": ab.Region("bytes", initial=0.5),
        "e": ab.Region("f64", initial=True),
    },
    protocol=ab.Skip(),
)
