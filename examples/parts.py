# parts.py
import alpha_build as ab

gradient = ab.Operation("gradient", reads=["w"], writes=["g"],
    cpp="for (std::size_t i = 0; i < g.size(); ++i) g[i] = w[i] * static_cast<float>(i % 7);")
update = ab.Operation("update", reads=["g", "w"], writes=["w"], parts=["g", "w"],   # each member: its own fifth of both
    cpp="for (std::size_t i = 0; i < w.size(); ++i) w[i] -= 0.01f * g[i];")

system = ab.System(
    name="parts", members=5, topology=ab.Mesh(), contract=ab.Contract(fanout=2),
    regions={"w": ab.Region("f32", (10_000,), initial=1.0), "g": ab.Region("f32", (10_000,))},
    operations=[gradient, update],
    protocol=ab.Repeat(8, ab.Sequence(
        ab.Everyone("gradient"),
        ab.Combine("g"),                      # every contribution to a part goes to its owner, who adds them
        ab.Deliver("g", owners="parts"),      # where they are: nothing moves
        ab.Everyone("update"),
        ab.Deliver("w"))),                    # the updated parts, from each owner to everybody
)
