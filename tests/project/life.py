"""A breadth-first check of whole runs: opening, schedule, publication, and one role lost at any moment.

A connection is made when the lower role accepts it; nothing is buffered.  A role that waits for one that is
lost is lost too, as executables end with a named failure when an edge ends or a budget runs out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from model import Act, Decide, Move, SendWord, Stuck, Todo, awaited, cycle_of, informed, meet, todo_of

from alpha_build.projector.check import Checked
from alpha_build.projector.project import project


class Wrong(Exception):
    """A rule was broken on the way: an absent listener, a publication without the root's."""


@dataclass(frozen=True)
class Run:
    """`todo` of every role in role order.

    `fault` says whether one may still be lost, `launched` that a launcher starts each role after the ones
    before it have announced; without one, ports are fixed and connects are repeated.
    """

    todo: tuple[Todo, ...]
    lost: frozenset[int] = field(default=frozenset())
    published: frozenset[int] = field(default=frozenset())
    fault: bool = False
    launched: bool = True


def life_of(checked: Checked, role: int) -> Todo:
    """From the launcher's start to the last close (docs/endpoint.md, in its order)."""
    _, rows = project(checked, role)
    lower = [Move("connect", edge.peer) for edge in rows.edges if edge.side == "higher"]
    higher = [Move("accept", edge.peer) for edge in rows.edges if edge.side == "lower"]
    return (Act("start"), Act("bind"), Act("announce"), *lower, *higher, *todo_of(checked, role))


def live(todo: dict[int, Todo], fault: bool, launched: bool = True) -> list[Run]:
    """Every way in which the roles' lives may end; raises `Stuck` or `Wrong`."""
    roles = sorted(todo)
    layer = [Run(tuple(todo[role] for role in roles), fault=fault, launched=launched)]
    seen, ends = set(layer), []
    while layer:
        following = []
        for run in layer:
            successors = list(_successors(run, roles))
            if not successors:
                waiting = {role: run.todo[at][0] for at, role in enumerate(roles) if run.todo[at]}
                waiting = {role: step for role, step in waiting.items() if role not in run.lost}
                if waiting:
                    raise Stuck(cycle_of(waiting))
                ends.append(run)
            following += [each for each in successors if each not in seen]
            seen.update(successors)
        layer = list(dict.fromkeys(following))
    return ends


def _successors(run: Run, roles: list[int]) -> Iterator[Run]:
    at = {role: position for position, role in enumerate(roles)}
    for role in roles:
        todo = run.todo[at[role]]
        if not todo or role in run.lost:
            continue
        if run.fault:
            yield replace(run, lost=run.lost | {role}, fault=False)
        if isinstance(todo[0], Act):
            yield from _act(run, roles, role, todo[0].what)
        elif isinstance(todo[0], Decide) and todo[0].source is None:
            for word in (0, 1):
                yield _with(run, at, {role: (*informed(todo[0], word), *todo[1:])})
        else:
            yield from _meeting(run, at, role, todo)


def _act(run: Run, roles: list[int], role: int, what: str) -> Iterator[Run]:
    at = {each: position for position, each in enumerate(roles)}
    done = _with(run, at, {role: run.todo[at[role]][1:]})
    if what == "start" and run.launched:
        silent = [each for each in roles if each < role and Act("announce") in run.todo[at[each]]]
        if any(each in run.lost for each in silent):
            yield replace(run, lost=run.lost | {role})  # the launcher gives up: it is never started
        elif not silent:
            yield done
    elif what == "publish":
        if role != roles[0] and roles[0] not in run.published:
            raise Wrong(f"role {role} publishes before the root, role {roles[0]}")
        yield replace(done, published=run.published | {role})
    else:
        yield done


def _meeting(run: Run, at: dict[int, int], role: int, todo: Todo) -> Iterator[Run]:
    step, peer = todo[0], awaited(todo[0])
    theirs = run.todo[at[peer]]
    if peer in run.lost:
        yield replace(run, lost=run.lost | {role})
    if isinstance(step, Move) and step.what == "connect":
        if run.launched and peer not in run.lost and Act("bind") in theirs:
            raise Wrong(f"role {role} meets no listener of role {peer}")
        if theirs[:1] == (Move("accept", role),) and peer not in run.lost:
            yield _with(run, at, {role: todo[1:], peer: theirs[1:]})
    elif peer in run.lost or not theirs:
        return
    elif isinstance(step, SendWord):
        if isinstance(theirs[0], Decide) and theirs[0].source == role:
            yield _with(run, at, {role: todo[1:], peer: (*informed(theirs[0], step.word), *theirs[1:])})
    elif isinstance(step, Move) and meet(step, role, theirs[0]) and (step.what == "send" or role < peer):
        yield _with(run, at, {role: todo[1:], peer: theirs[1:]})


def _with(run: Run, at: dict[int, int], changes: dict[int, Todo]) -> Run:
    todo: list[Any] = list(run.todo)
    for role, rest in changes.items():
        todo[at[role]] = rest
    return replace(run, todo=tuple(todo))
