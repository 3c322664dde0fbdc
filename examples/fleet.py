# fleet.py
import alpha_build as ab

fleet = ab.ParticipantGroup(                   # 200,000 irregular members of a universe of 300,000: no list anywhere
    universe=300_000, epoch=1, identity=b"two halls",
    selection=ab.join(
        ab.repeat(1_000, 150, ab.join(ab.stride(0, 1, 64), ab.stride(70, 2, 36))),   # racks: 64 machines, then every second
        ab.stride(150_000, 1, 60_000),
        ab.stride(220_001, 2, 40_000)))

measure = ab.Operation("measure", reads=["w"], writes=["g"],
    cpp="for (std::size_t i = 0; i < g.size(); ++i) g[i] = w[i] * 0.5f;")
step = ab.Operation("step", reads=["g", "w"], writes=["w"],
    cpp="for (std::size_t i = 0; i < w.size(); ++i) w[i] -= g[i];")

system = ab.System(
    name="fleet", members=fleet, topology=ab.Tree(fanout=64),
    regions={"w": ab.Region("f32", (1024,), initial=1.0), "g": ab.Region("f32", (1024,))},
    operations=[measure, step],
    protocol=ab.Repeat(200_000, ab.Sequence(
        ab.Everyone("measure"),
        ab.Combine("g"),                       # up 64 at a time, then down again: three levels of edges
        ab.Deliver("g"),
        ab.Everyone("step"))),
)
