"""Names become names in C++ and of files."""

import alpha_build as ab

system = ab.System(
    name="a/b",
    members=1,
    regions={"class": ab.Word(), "a__b": ab.Word(), "é": ab.Word()},
    operations=[ab.Operation("round", cpp=""), ab.Operation("1st", cpp="")],
    protocol=ab.Skip(),
)
