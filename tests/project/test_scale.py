"""One role of 200,000: what is visited, how long it takes, how many classes there are."""

from __future__ import annotations

import dataclasses
import time
import tracemalloc
from typing import Any

import pytest
from learner_program import learner_program, learner_system

import alpha_build as ab
import alpha_build.system.tree as tree_module
from alpha_build.projector.check import check
from alpha_build.projector.project import Classes, project
from alpha_build.projector.project.program import RepeatStep

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


@pytest.mark.parametrize("members", SIZES)
def test_one_role_visits_a_few_paths(members: int, monkeypatch: pytest.MonkeyPatch) -> None:
    visited = 0
    split = tree_module.split

    def counted(span: Any, fanout: int) -> tuple[int, int, int]:
        nonlocal visited
        visited += 1
        return split(span, fanout)

    monkeypatch.setattr(tree_module, "split", counted)
    checked = check(fleet(members), learner_program())
    levels = ab.ParticipantTree(members, 64).levels
    for role in (0, members // 3, members - 1):
        visited = 0
        program, _ = project(checked, role)
        assert visited <= 20 * levels * 2 + 4 * 64
        assert len(program.edges) <= 65


def test_time_and_memory_do_not_know_the_size() -> None:
    figures = []
    for members in (1_000, 200_000, IRREGULAR):
        count = len(IRREGULAR) if isinstance(members, ab.ParticipantGroup) else members
        system, program = fleet(members), learner_program()
        role = IRREGULAR.member(123) if isinstance(members, ab.ParticipantGroup) else 123
        assert count >= 1_000
        check(system, program)
        best = min(_seconds(system, program, role) for _ in range(5))
        tracemalloc.start()
        project(check(system, program), role)
        figures.append((best, tracemalloc.get_traced_memory()[1]))
        tracemalloc.stop()
    assert max(seconds for seconds, _ in figures) < 0.05  # a few milliseconds on a quiet machine
    assert max(peak for _, peak in figures) < 2 * min(peak for _, peak in figures)


def _seconds(system: ab.System, program: Any, role: int) -> float:
    start = time.perf_counter()
    project(check(system, program), role)
    return time.perf_counter() - start


def test_a_tree_of_10_000_has_few_classes_and_each_key_tells_its_program() -> None:
    checked = check(learner_system(10_000, topology=ab.Tree(fanout=20)), learner_program())
    classes = Classes(checked)
    keys: dict[Any, list[int]] = {}
    for role in range(10_000):
        keys.setdefault(classes.key(role), []).append(role)
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
