"""The first cause, from the roles' ends alone: the rule of docs/endpoint.md on small and on large runs."""

from __future__ import annotations

from typing import Any

import pytest

from alpha_build.run.cause import first_cause
from alpha_build.run.lines import Failed
from alpha_build.run.outcome import RoleEnd

Edge = tuple[int, int]


def waited(role: int, peer: int, seconds: float, code: int = 74) -> RoleEnd:
    said = Failed("truncated", f"refused (truncated): edge {peer}->{role} region 1", peer, role)
    return RoleEnd(role, "x86_64", "failed", exit=code, said=said, seconds=seconds)


def failed(role: int, code: int, seconds: float, edge: Edge | None = None) -> RoleEnd:
    said = Failed("frame" if code == 70 else "local", "what it said", *(edge or (None, None)))
    return RoleEnd(role, "x86_64", "failed", exit=code, said=said, seconds=seconds)


def killed(role: int, seconds: float) -> RoleEnd:
    return RoleEnd(role, "x86_64", "killed", signal=9, seconds=seconds)


def stopped(role: int) -> RoleEnd:
    return RoleEnd(role, "x86_64", "stopped", note="said nothing")


def complete(role: int) -> RoleEnd:
    return RoleEnd(role, "x86_64", "complete", exit=0, seconds=1)


CASES: dict[str, tuple[list[RoleEnd], int]] = {
    "killed, seen last": ([waited(0, 1, 1), killed(1, 3), waited(2, 1, 2)], 1),
    "a chain of waits": ([killed(0, 5), waited(1, 0, 4, 77), waited(2, 1, 3, 77), waited(3, 2, 2, 77)], 0),
    "a send that failed names its receiver": (
        [RoleEnd(0, "", "failed", 74, said=Failed("truncated", "", 0, 1), seconds=1), killed(1, 2)],
        1,
    ),
    "stopped": ([waited(0, 1, 1, 77), stopped(1), waited(2, 0, 2)], 1),
    "a local failure": ([waited(0, 2, 1), waited(1, 0, 2), failed(2, 79, 3)], 2),
    "a checkpoint failure": ([failed(0, 80, 1), waited(1, 0, 2)], 0),
    "both ends refuse: the earlier": ([failed(0, 70, 2, (1, 0)), failed(1, 70, 1, (0, 1))], 1),
    "a death says more than silence": ([waited(0, 1, 1), stopped(1), killed(2, 3)], 2),
    "only waits, in a circle: the earliest": ([waited(0, 1, 3), waited(1, 2, 2), waited(2, 0, 1)], 2),
    "a wait for one that completed": ([complete(0), waited(1, 0, 1)], 1),
    "an unknown status": ([complete(0), RoleEnd(1, "", "failed", exit=3, seconds=1)], 1),
}


@pytest.mark.parametrize("name", CASES)
def test_the_first_cause(name: str) -> None:
    ends, role = CASES[name]
    cause = first_cause(ends)
    assert cause is not None and cause.role == role


def test_no_cause_where_all_completed() -> None:
    assert first_cause([complete(0), complete(1)]) is None


def test_a_role_that_was_not_started_points_to_the_one_that_held_up_the_start() -> None:
    ends = [waited(0, 2, 1, 76), stopped(1), RoleEnd(2, "", "not started")]
    cause = first_cause(ends, holding=1)
    assert cause is not None and cause.role == 1


def test_the_text_names_both_ends_of_a_refusal() -> None:
    said = Failed("bytes", "refused (bytes): edge 1->0 region 2: digest", 1, 0)
    ends = [RoleEnd(0, "", "failed", 73, said=said, seconds=1), waited(1, 0, 2)]
    cause: Any = first_cause(ends)
    assert (cause.role, cause.peer, cause.kind) == (0, 1, "bytes")
    assert cause.text == "role 0 refused what role 1 sent (bytes): edge 1->0 region 2: digest"


def test_a_long_chain_is_followed_to_its_end() -> None:
    count = 5000
    ends = [killed(0, 0), *(waited(role, role - 1, role) for role in range(1, count))]
    cause = first_cause(ends[::-1])
    assert cause is not None and cause.role == 0
