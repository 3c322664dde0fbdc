# relay.py
import alpha_build as ab

scale = ab.Operation("scale", reads=["x"], writes=["y"],
    cpp="for (std::size_t i = 0; i < y.size(); ++i) y[i] = x[i] * 2.0f;")

system = ab.System(
    name="relay", members=3, topology=ab.Star(),
    regions={"x": ab.Region("f32", (1024,), initial=1.0), "y": ab.Region("f32", (1024,)), "go": ab.Word()},
    operations=[scale, ab.Operation("decide", writes=["go"], cpp="go = round < 3 ? 1 : 0;")],
    protocol=ab.Repeat(5, ab.Sequence(
        ab.Local(0, "decide"),
        ab.Choice(authority=0, selector="go", routes=[(0, 1), (0, 2)],
            then=ab.Sequence(ab.Transfer(0, 1, "x"), ab.Local(1, "scale"), ab.Transfer(1, 0, "y")),
            otherwise=ab.Transfer(0, 2, "x")))),
)
