"""The structural forms against their definition: both project to the same schedule for every role."""

from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from protocols import systems, topologies

import alpha_build as ab
from alpha_build.projector.check import check, failures
from alpha_build.projector.check.checked import Checked
from alpha_build.projector.project import project
from alpha_build.projector.project.closes import with_closes
from alpha_build.projector.project.expansion import expand, unfold
from alpha_build.projector.project.program import RoleProgram, Step
from alpha_build.projector.project.schedule import Projector
from alpha_build.projector.project.tables import Tables
from alpha_build.projector.project.view import view_of


def expanded_schedule(checked: Checked, role: int) -> tuple[tuple[Step, ...], list[int]]:
    """Projection of the expansion, form by form, with the region numbers that its indices mean."""
    view, tables = view_of(checked, role), Tables(checked)
    projector = Projector(checked, view, tables)
    outermost = [projector.steps(expand(checked, (node,))) for node in checked.nodes]
    schedule = with_closes(outermost, len(view.edges), "")
    return schedule, [region.number for region in tables.regions]


def bare(step: Step, numbers: list[int]) -> Any:
    """A step without its place, its region as the number on the wire."""
    fields: list[Any] = [type(step).__name__]
    for field in dataclasses.fields(step):
        value = getattr(step, field.name)
        if field.name == "place":
            continue
        if field.name == "region":
            value = numbers[value]
        if isinstance(value, tuple) and value and isinstance(value[0], Step):
            value = [bare(inner, numbers) for inner in value]
        fields.append(value)
    return fields


def unfolded(checked: Checked, program: RoleProgram, role: int) -> list[Any]:
    mean = checked.system.contract.normalization == "mean"
    steps = unfold(program.schedule, checked.group.rank(role), mean)
    return [bare(step, [region.number for region in program.regions]) for step in steps]


@settings(max_examples=100, deadline=None)
@given(systems())
def test_structural_forms_and_their_expansion_project_to_the_same_schedule(system: ab.System) -> None:
    assume(not failures(system))
    checked = check(system)
    for position in range(len(checked.group)):
        role = checked.group.member(position)
        program, _ = project(checked, role)
        steps, numbers = expanded_schedule(checked, role)
        assert unfolded(checked, program, role) == [bare(step, numbers) for step in steps]


@settings(deadline=None)
@given(topologies(), st.sampled_from(["mean", "sum"]), st.booleans())
def test_sum_and_mean_in_a_loop(drawn: tuple[int, Any], normalization: Any, between: bool) -> None:
    members, topology = drawn
    middle = ab.Local(0, "scale") if between else ab.Skip()
    parts = "x" if isinstance(topology, ab.Mesh) else ()
    protocol = ab.Repeat(3, ab.Sequence(ab.Combine("x"), middle, ab.Deliver("x")))
    system = ab.System(
        name="sum",
        members=members,
        topology=topology,
        contract=ab.Contract(normalization=normalization),
        regions={"x": ab.Region("f64", (3,), initial=0.0)},
        operations=[ab.Operation("scale", reads="x", writes="x", parts=parts, cpp="")],
        protocol=protocol,
    )
    checked = check(system)
    for role in range(members):
        program, _ = project(checked, role)
        steps, numbers = expanded_schedule(checked, role)
        assert unfolded(checked, program, role) == [bare(step, numbers) for step in steps]


def test_the_definition_is_not_the_projection_of_another_order() -> None:
    """The comparison can fail: with two children swapped the schedules differ."""
    system = ab.System(
        name="sum",
        members=3,
        topology=ab.Star(),
        regions={"x": ab.Region("f32", (3,), initial=0.0)},
        protocol=ab.Combine("x"),
    )
    checked = check(system)
    program, _ = project(checked, 0)
    steps, numbers = expanded_schedule(checked, 0)
    combine = program.schedule[0]
    swapped = dataclasses.replace(combine, children=combine.children[::-1])  # type: ignore[attr-defined, call-arg]
    mutant = dataclasses.replace(program, schedule=(swapped, *program.schedule[1:]))
    assert unfolded(checked, mutant, 0) != [bare(step, numbers) for step in steps]
