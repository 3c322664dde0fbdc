# star.py
import alpha_build as ab

gradient = ab.Operation("gradient", reads=["w"], writes=["g"],
    cpp="for (std::size_t i = 0; i < g.size(); ++i) g[i] = w[i] * static_cast<float>(i + 1);")
update = ab.Operation("update", reads=["g", "w"], writes=["w"],
    cpp="for (std::size_t i = 0; i < w.size(); ++i) w[i] -= 0.125f * g[i];")

system = ab.System(
    name="star", members=3, topology=ab.Star(),
    regions={"w": ab.Region("f32", (6,), initial=1.0), "g": ab.Region("f32", (6,))},
    operations=[gradient, update],
    protocol=ab.Repeat(4, ab.Sequence(
        ab.Everyone("gradient"),
        ab.Combine("g"),                      # up: own value, then each child's, in the contract's order
        ab.Deliver("g"),                      # down: the mean, to every member
        ab.Everyone("update"))),
)
