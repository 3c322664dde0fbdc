"""Random small systems for the property tests of projection."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import alpha_build as ab

REGIONS = {
    "x": ab.Region("f32", (2,), initial=0.0),
    "y": ab.Region("f32", (2,), initial=0.0),
    "go": ab.Word(initial=0),
}
OPERATIONS = [
    ab.Operation("fill", writes=["x", "y"], cpp=""),
    ab.Operation("add", reads="x", writes="y", cpp=""),
]


@st.composite
def topologies(draw: st.DrawFn) -> tuple[int, Any]:
    """Members and a topology that fits them."""
    members = draw(st.integers(1, 6))
    shapes = [ab.Star(), ab.Tree(fanout=1), ab.Tree(fanout=2)]
    shapes += [ab.Mesh()] * 2
    shapes += [ab.Pair()] * 2 if members == 2 else []
    return members, draw(st.sampled_from(shapes))


def forms(members: int, mesh: bool, structural: bool, outside: bool = False) -> st.SearchStrategy[Any]:
    """Forms over some members; most transfers name roles that are joined, some do not."""
    role = st.integers(-1, members) if outside else st.integers(0, members - 1)
    region = st.sampled_from(["x", "y"])
    leaves = [
        st.builds(ab.Transfer, role, role, region),
        st.builds(ab.Transfer, st.just(0), role, region),
        st.builds(ab.Transfer, role, st.just(0), region),
        st.builds(ab.Local, role, st.sampled_from(["fill", "add"])),
        st.just(ab.Everyone("fill")),
        st.just(ab.Skip()),
    ]
    if structural:
        leaves += [st.builds(_summed, region), st.builds(ab.Combine, region), st.builds(ab.Deliver, region)]
        owner = st.one_of(role, st.just("parts")) if mesh else role
        leaves += [st.builds(lambda name, owner: ab.Deliver(name, owners=owner), region, owner)]

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        routes = st.one_of(st.none(), st.just([(0, other) for other in range(1, members)]))
        if outside:
            inside = st.integers(0, members - 1)
            routes = st.one_of(routes, st.lists(st.tuples(inside, inside), min_size=1, max_size=4))
        return st.one_of(
            st.lists(inner, max_size=4).map(lambda parts: ab.Sequence(*parts)),
            st.builds(ab.Repeat, st.integers(0, 2), inner),
            st.builds(
                lambda who, then, other, way: ab.Choice(who, "go", then, other, routes=way),
                role,
                inner,
                inner,
                routes,
            ),
        )

    return st.recursive(st.one_of(leaves), larger, max_leaves=8)


def _summed(region: str) -> Any:
    return ab.Sequence(ab.Everyone("fill"), ab.Combine(region), ab.Deliver(region))


@st.composite
def systems(draw: st.DrawFn, structural: bool = True, outside: bool = False) -> ab.System:
    """A system, accepted or not; `outside`: roles may be named that are none."""
    members, topology = draw(topologies())
    gap = draw(st.sampled_from([1, 3]))
    group = ab.ParticipantGroup(universe=members * gap, selection=ab.stride(0, gap, members))
    protocol = _renamed(draw(forms(members, isinstance(topology, ab.Mesh), structural, outside)), gap)
    return ab.System(
        name="random",
        members=group,
        topology=topology,
        contract=ab.Contract(order=draw(st.sampled_from(["tree", "tree", "sequence"]))),
        regions=REGIONS,
        operations=OPERATIONS,
        protocol=ab.Sequence(ab.Everyone("fill"), protocol),
    )


def _renamed(form: Any, gap: int) -> Any:
    """Positions become roles of the group."""
    match form:
        case ab.Transfer(sender, receiver, region):
            return ab.Transfer(sender * gap, receiver * gap, region)
        case ab.Local(role, operation):
            return ab.Local(role * gap, operation)
        case ab.Deliver(region, owners=owner):
            return ab.Deliver(region, owners=owner * gap if isinstance(owner, int) else owner)
        case ab.Sequence(parts):
            return ab.Sequence(*(_renamed(part, gap) for part in parts))
        case ab.Repeat(count, body):
            return ab.Repeat(count, _renamed(body, gap))
        case ab.Choice(authority=who, selector=selector, then=then, otherwise=otherwise, routes=routes):
            ways = None if routes is None else [(one * gap, other * gap) for one, other in routes]
            return ab.Choice(who * gap, selector, _renamed(then, gap), _renamed(otherwise, gap), routes=ways)
        case _:
            return form
