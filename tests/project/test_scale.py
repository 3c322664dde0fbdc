"""One role of 200,000: what is visited, what memory it takes, how many classes there are."""

from __future__ import annotations

import dataclasses
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from learner_program import learner_program, learner_system

import alpha_build as ab
import alpha_build.system.selection as selection_module
import alpha_build.system.tree as tree_module
from alpha_build.projector.check import check
from alpha_build.projector.project import Classes, project
from alpha_build.projector.project.program import RepeatStep
from alpha_build.system.load import load_system

SIZES = [10, 1_000, 200_000, 10**15]
IRREGULAR = ab.ParticipantGroup(
    universe=700_000,
    selection=ab.join(
        ab.stride(3, 7, 10),
        ab.repeat(
            1_562,
            320,
            ab.join(ab.stride(100, 2, 31), ab.repeat(3, 50, ab.stride(200, 1, 31)), ab.stride(379, 3, 4)),
        ),
        ab.stride(600_000, 11, 54),
    ),
)


def fleet(members: Any) -> ab.System:
    return learner_system(
        members, topology=ab.Tree(fanout=64), contract=ab.Contract(order="canonical", block=1)
    )


def own(members: Any) -> ab.System:
    """The protocol of examples/fleet.py over other members."""
    example = load_system(str(Path(__file__).parents[2] / "examples" / "fleet.py"))
    return dataclasses.replace(example, members=members)


class Visits:
    """Counts nodes of trees and selections that are looked at."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        split = tree_module.split
        monkeypatch.setattr(tree_module, "split", lambda *given: self._seen(split, *given))
        for name in ("member", "rank"):
            method = getattr(selection_module.Node, name)
            monkeypatch.setattr(
                selection_module.Node, name, lambda *given, method=method: self._seen(method, *given)
            )

    def _seen(self, function: Any, *given: Any) -> Any:
        self.count += 1
        return function(*given)


@pytest.mark.parametrize("members", [*SIZES, IRREGULAR])
@pytest.mark.parametrize("system_of", [fleet, own])
def test_one_role_visits_no_more_than_depth_times_fanout(
    members: Any, system_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    system, program = system_of(members), learner_program() if system_of is fleet else None
    visits = Visits(monkeypatch)
    checked = check(system, program)
    assert visits.count <= 200  # the shape's largest number of edges, by formula
    count, depth = len(checked.group), ab.ParticipantTree(len(checked.group), 64).levels
    for position in (0, 1, count // 3, count - 1):
        visits.count = 0
        role_program, rows = project(checked, checked.group.member(position))
        assert visits.count <= 4 * (depth + 1) * 64
        assert len(role_program.edges) == len(rows.edges) <= 65


def test_peak_memory_does_not_know_the_size() -> None:
    for system_of, program in ((fleet, learner_program()), (own, None)):
        peaks = [_peak(system_of(members), program) for members in (1_000, 200_000, 10**12, IRREGULAR)]
        assert max(peaks) < 1.3 * min(peaks)


def _peak(system: ab.System, program: Any) -> int:
    """Bytes at the root, whose 64 children are the same number at any size."""
    root = check(system, program).group.first
    tracemalloc.start()
    project(check(system, program), root)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_a_tree_of_10_000_has_few_classes_and_each_name_tells_its_program() -> None:
    checked = check(learner_system(10_000, topology=ab.Tree(fanout=20)), learner_program())
    classes = Classes(checked)
    keys: dict[Any, list[int]] = {}
    for role in range(10_000):
        keys.setdefault(classes.name(role), []).append(role)
    assert len(keys) <= 8
    for roles in keys.values():
        programs = {project(checked, role)[0] for role in (roles[0], roles[len(roles) // 2], roles[-1])}
        assert len(programs) == 1


def test_a_repeat_stays_a_loop_at_any_count() -> None:
    def schedule(count: int) -> Any:
        system = ab.System(
            name="loop",
            members=3,
            topology=ab.Star(),
            regions={"x": ab.Region("f32", (2,), initial=0.0)},
            protocol=ab.Repeat(count, ab.Transfer(0, 1, "x")),
        )
        return project(check(system), 1)[0].schedule

    (four, *closes), (many, *others) = schedule(4), schedule(200_000)
    assert isinstance(many, RepeatStep)
    assert dataclasses.replace(many, count=4) == four
    assert closes == others
