"""The read-before-written analysis against a naive checker that runs every member through every choice."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import alpha_build as ab
from alpha_build.projector.check import failures

OPERATIONS = [
    ab.Operation("fill", writes="a", cpp=""),
    ab.Operation("copy", reads="a", writes="b", cpp=""),
    ab.Operation("decide", writes="go", cpp=""),
]
ON_PARTS = [
    *OPERATIONS,
    ab.Operation("fill_part", writes="a", parts="a", cpp=""),
    ab.Operation("copy_part", reads="a", writes="b", parts=["a", "b"], cpp=""),
]
REGIONS = {
    "a": ab.Region("f32", (2,)),
    "b": ab.Region("f32", (2,)),
    "c": ab.Region("f32", (2,), initial=0),
    "go": ab.Word(),
}
State = frozenset[tuple[str, Any]]
Kinds = dict[int, set[bool]]


class Unwritten(Exception):
    """Somebody read what was not there."""


def run(form: Any, states: set[State], count: int) -> set[State]:
    """All states after a form from any state before it; the state is which member holds which region."""
    everybody = range(count)
    match form:
        case ab.Skip():
            return states
        case ab.Sequence(parts):
            for part in parts:
                states = run(part, states, count)
            return states
        case ab.Repeat(times, body):
            for _ in range(min(times, 3)):
                states = run(body, states, count)
            return states
        case ab.Choice(authority=authority, selector=selector):
            states = step(states, [(selector, authority)], [(selector, role) for role in everybody], [])
            return run(form.then, states, count) | run(form.otherwise, states, count)
        case ab.Local(role, name):
            operation = next(each for each in OPERATIONS if each.name == name)
            reads = [(region, role) for region in operation.reads]
            return step(states, reads, [(region, role) for region in operation.writes], [])
        case ab.Everyone(name):
            for role in everybody:
                states = run(ab.Local(role, name), states, count)
            return states
        case ab.Transfer(sender, receiver, region):
            return step(states, [(region, sender)], [(region, receiver)], [])
        case ab.Combine(region):
            all_of = [(region, role) for role in everybody]
            return step(states, all_of, all_of[:1], all_of[1:])
        case ab.Deliver(region, owners=None):
            return step(states, [(region, 0)], [(region, role) for role in everybody], [])
        case ab.Deliver(region, owners=owner):
            return step(states, [(region, 0)], [(region, owner)], [])
    raise AssertionError(form)


def step(states: set[State], reads: list[Any], writes: list[Any], loses: list[Any]) -> set[State]:
    if not states:
        return states
    if any(not state.issuperset(reads) for state in states):
        raise Unwritten
    return {frozenset((state - frozenset(loses)) | frozenset(writes)) for state in states}


def forms(count: int, mesh: bool = False) -> st.SearchStrategy[Any]:
    role = st.integers(0, count - 1)
    region = st.sampled_from(["a", "b", "c"])
    work = st.sampled_from([operation.name for operation in (ON_PARTS if mesh else OPERATIONS)])
    owner = st.one_of(role, st.just("parts")) if mesh else role
    leaf = st.one_of(
        st.builds(ab.Local, role, work),
        st.builds(ab.Everyone, work),
        st.builds(
            lambda other, out, name: ab.Transfer(*((0, other) if out else (other, 0)), name),
            st.integers(1, count - 1),
            st.booleans(),
            region,
        )
        if count > 1
        else st.builds(ab.Skip),
        st.builds(ab.Combine, region),
        st.builds(ab.Deliver, region),
        st.builds(lambda name, owner: ab.Deliver(name, owners=owner), region, owner),
        st.builds(ab.Skip),
    )

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        return st.one_of(
            st.lists(inner, max_size=5).map(lambda parts: ab.Sequence(*parts)),
            st.builds(ab.Repeat, st.integers(0, 3), inner),
            st.builds(lambda who, then, otherwise: ab.Choice(who, "go", then, otherwise), role, inner, inner),
        )

    first = ab.Sequence(ab.Everyone("fill"), ab.Everyone("decide"))
    body = st.recursive(leaf, larger, max_leaves=12)
    return st.one_of(body, body.map(lambda rest: ab.Sequence(first, rest)))


@st.composite
def systems(draw: st.DrawFn) -> tuple[ab.System, int]:
    count = draw(st.integers(1, 4))
    protocol = draw(forms(count))
    system = ab.System(
        name="s", members=count, topology=ab.Star(), regions=REGIONS, operations=OPERATIONS, protocol=protocol
    )
    return system, count


@settings(max_examples=400, deadline=None)
@given(systems())
def test_the_analysis_agrees_with_running_everybody(drawn: tuple[ab.System, int]) -> None:
    system, count = drawn
    start = frozenset(("c", role) for role in range(count))
    try:
        run(system.protocol, {start}, count)
        expected = False
    except Unwritten:
        expected = True
    found = failures(system)
    assert {failure.kind for failure in found} <= {"read-before-written"}
    assert bool(found) == expected


def run_mesh(form: Any, states: set[State], count: int, kinds: Kinds) -> set[State]:
    """The same on a mesh; a state also holds (part of a region, role), and (region, "parts") where it lies.

    `kinds` notes how each deliver found its region, in any state and pass.
    """
    everybody = range(count)
    match form:
        case ab.Sequence(parts):
            for part in parts:
                states = run_mesh(part, states, count, kinds)
            return states
        case ab.Repeat(times, body):
            for _ in range(min(times, 3)):
                states = run_mesh(body, states, count, kinds)
            return states
        case ab.Choice(authority=authority, selector=selector):
            states = step(states, [(selector, authority)], [(selector, role) for role in everybody], [])
            return run_mesh(form.then, states, count, kinds) | run_mesh(form.otherwise, states, count, kinds)
        case ab.Local(role, name):
            return work(name, [role], states, whole=role == 0)
        case ab.Everyone(name):
            return work(name, list(everybody), states, whole=True, parts=True)
        case ab.Transfer(sender, receiver, region):
            gone = [(region, "parts")] if receiver == 0 else []
            return step(states, [(region, sender)], held(region, [receiver]), gone)
        case ab.Combine(region):
            all_of = [(region, role) for role in everybody]
            own = [(f"part {region}", role) for role in everybody]
            return step(states, all_of, [*own, (region, "parts")], all_of)
        case ab.Deliver(region, owners=owners):
            found = {(region, "parts") in state for state in states}
            kinds.setdefault(id(form), set()).update(found)
            if len(found) > 1:
                return set()  # nothing that follows is looked at
            own = [(f"part {region}", role) for role in everybody]
            reads = own if True in found else [(region, 0)]
            if owners == "parts":
                return step(states, reads, [*own, (region, "parts")], [])
            if owners is None:
                return step(states, reads, held(region, list(everybody)), [(region, "parts")])
            return step(states, reads, held(region, [owners]), [])
    return run(form, states, count)


def held(region: str, roles: list[int]) -> list[Any]:
    return [(name, role) for name in (region, f"part {region}") for role in roles]


def work(name: str, roles: list[int], states: set[State], whole: bool, parts: bool = False) -> set[State]:
    operation = next(each for each in ON_PARTS if each.name == name)

    def named(region: str) -> str:
        return f"part {region}" if region in operation.parts else region

    reads = [(named(region), role) for region in operation.reads for role in roles]
    writes: list[Any] = [(named(region), role) for region in operation.writes for role in roles]
    writes += [
        pair for region in operation.writes if region not in operation.parts for pair in held(region, roles)
    ]
    into_parts = [(region, "parts") for region in operation.writes if region in operation.parts and parts]
    gone = [(region, "parts") for region in operation.writes if region not in operation.parts and whole]
    return step(states, reads, [*writes, *into_parts], gone)


@st.composite
def mesh_systems(draw: st.DrawFn) -> tuple[ab.System, int]:
    count = draw(st.integers(1, 3))
    protocol = draw(forms(count, mesh=True))
    system = ab.System(
        members=count, regions=REGIONS, operations=ON_PARTS, protocol=protocol, name="s", topology=ab.Mesh()
    )
    return system, count


@settings(max_examples=300, deadline=None)
@given(mesh_systems())
def test_on_a_mesh_the_analysis_agrees_with_running_everybody(drawn: tuple[ab.System, int]) -> None:
    system, count = drawn
    start: State = frozenset(pair for pair in held("c", list(range(count))))
    found = {failure.kind for failure in failures(system)}
    kinds: Kinds = {}
    try:
        run_mesh(system.protocol, {start}, count, kinds)
    except Unwritten:
        assert found and found <= {"read-before-written", "deliver-either"}
    else:
        either = any(len(each) > 1 for each in kinds.values())
        assert ("deliver-either" in found) if either else not found


def test_a_fleet_is_analysed_without_listing_it() -> None:
    protocol = ab.Sequence(
        ab.Everyone("fill"),
        ab.Repeat(200_000, ab.Sequence(ab.Everyone("copy"), ab.Combine("b"), ab.Deliver("b"))),
        ab.Local(123_456, "copy"),
    )
    system = ab.System(name="s", members=10**15, regions=REGIONS, operations=OPERATIONS, protocol=protocol)
    assert failures(system) == ()


def test_deep_loops_are_walked_once_each() -> None:
    protocol: Any = ab.Sequence(ab.Everyone("fill"), ab.Combine("a"), ab.Deliver("a"))
    for _ in range(30):
        protocol = ab.Repeat(2, ab.Sequence(protocol, ab.Everyone("copy")))
    system = ab.System(name="s", members=3, regions=REGIONS, operations=OPERATIONS, protocol=protocol)
    assert failures(system) == ()
