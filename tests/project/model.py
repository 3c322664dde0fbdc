"""A breadth-first check of projected schedules: every interleaving, socket buffers of zero bytes.

Each role is the tuple of small steps that it has yet to do.  A send and the receive that it meets happen at
once, a close meets the peer's close, local work takes no turn, and an authority may choose either way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from alpha_build.projector.check import Checked
from alpha_build.projector.project import project, step_text
from alpha_build.projector.project.expansion import unfold
from alpha_build.projector.project.program import (
    ChooseStep,
    CloseStep,
    EveryStep,
    LocalStep,
    PublishStep,
    ReceiveStep,
    RepeatStep,
    RoleProgram,
    RoleRows,
    SendStep,
    StartStep,
    Step,
)


@dataclass(frozen=True)
class Move:
    """One meeting of two roles: "send" or "receive" of a form's number, or "close"."""

    what: str
    peer: int
    number: int = -1


@dataclass(frozen=True)
class Act:
    """Something that a role does alone and that others may depend on: "publish", or a step of its opening."""

    what: str


@dataclass(frozen=True)
class Decide:
    """A choice's arms, once its word is known here: by the authority's own will, or as received."""

    number: int
    arms: tuple[Any, Any]  # small steps for 0 and for 1
    source: int | None
    to: tuple[int, ...]


@dataclass(frozen=True)
class SendWord:
    """The word goes on to one peer."""

    peer: int
    number: int
    word: int


Todo = tuple[Any, ...]
State = tuple[Todo, ...]


class Stuck(Exception):
    """Roles that wait for one another, as a cycle of (role, what it waits to do)."""

    def __init__(self, cycle: list[tuple[int, str]]) -> None:
        super().__init__(" -> ".join(f"role {role} waits to {what}" for role, what in cycle))
        self.cycle = cycle


def small_steps(
    steps: tuple[Step, ...], program: RoleProgram, rows: RoleRows, turn: tuple[int, int] = (0, 1)
) -> Todo:
    """A schedule unrolled; `turn` is the innermost repeat's pass and count."""
    return tuple(small for step in steps for small in _small(step, program, rows, turn))


def _small(step: Step, program: RoleProgram, rows: RoleRows, turn: tuple[int, int]) -> Iterator[Any]:
    def peer(slot: int) -> int:
        return rows.edges[slot].peer

    def number(region: int) -> int:
        return program.regions[region].number

    match step:
        case LocalStep():
            return
        case SendStep(region=region, to=to):
            yield Move("send", peer(to), number(region))
        case ReceiveStep(region=region, source=source):
            yield Move("receive", peer(source), number(region))
        case StartStep(region=region, source=source, to=to):
            yield from _down(number(region), source, to, peer)
        case PublishStep(region=region, region_down=down, parent=parent, children=children):
            yield from (Move("receive", peer(child), number(region)) for child in children)
            if parent is not None:
                yield Move("send", peer(parent), number(region))
            else:
                yield Act("publish")
            yield from _down(number(down), parent, children, peer)
            if parent is not None:
                yield Act("publish")
        case RepeatStep(count=count, body=body):
            for index in range(count):
                yield from small_steps(body, program, rows, (index, count))
        case EveryStep(period=period, body=body):
            if (turn[0] + 1) % period == 0 or turn[0] + 1 == turn[1]:
                yield from small_steps(body, program, rows, turn)
        case ChooseStep(region=region, source=source, to=to, then=then, otherwise=otherwise):
            arms = (small_steps(otherwise, program, rows, turn), small_steps(then, program, rows, turn))
            whence = None if source is None else peer(source)
            yield Decide(number(region), arms, whence, tuple(map(peer, to)))
        case CloseStep(edge=edge):
            yield Move("close", peer(edge))
        case _:
            raise AssertionError(step_text(step, program, rows))


def _down(number: int, source: int | None, to: tuple[int, ...], peer: Any) -> Iterator[Move]:
    if source is not None:
        yield Move("receive", peer(source), number)
    yield from (Move("send", peer(slot), number) for slot in to)


def todo_of(checked: Checked, role: int) -> Todo:
    """One role's small steps."""
    program, rows = project(checked, role)
    mean = program.normalization == "mean"
    steps = unfold(program.schedule, checked.group.rank(role), mean)
    return small_steps(steps, program, rows)


def explore(todo: dict[int, Todo]) -> int:
    """Number of states reached; raises `Stuck` when one of them cannot go on and is not the end."""
    roles = sorted(todo)
    start = tuple(todo[role] for role in roles)
    seen = {start}
    layer = [start]
    while layer:
        following = []
        for state in layer:
            successors = list(_successors(state, roles))
            if not successors and any(state):
                raise Stuck(
                    cycle_of({role: todo[0] for role, todo in zip(roles, state, strict=True) if todo})
                )
            for successor in successors:
                if successor not in seen:
                    seen.add(successor)
                    following.append(successor)
        layer = following
    return len(seen)


def _successors(state: State, roles: list[int]) -> Iterator[State]:
    index = {role: position for position, role in enumerate(roles)}
    for position, todo in enumerate(state):
        if not todo:
            continue
        head, rest = todo[0], todo[1:]
        if isinstance(head, Act):
            yield _with(state, {position: rest})
        elif isinstance(head, Decide) and head.source is None:
            for word in (0, 1):
                yield _with(state, {position: (*informed(head, word), *rest)})
        elif isinstance(head, SendWord):
            other = index[head.peer]
            meets = state[other][:1]
            if meets and isinstance(meets[0], Decide) and meets[0].source == roles[position]:
                assert meets[0].number == head.number, "another choice's word"
                after = (*informed(meets[0], head.word), *state[other][1:])
                yield _with(state, {position: rest, other: after})
        elif isinstance(head, Move) and head.what != "receive":
            other = index[head.peer]
            meets = state[other][:1]
            if meets and meet(head, roles[position], meets[0]) and (head.what == "send" or position < other):
                yield _with(state, {position: rest, other: state[other][1:]})


def meet(move: Move, role: int, other: Any) -> bool:
    """Whether a send or close of a role is what another role's next step waits for."""
    if not isinstance(other, Move) or other.peer != role:
        return False
    if move.what == "close":
        return other.what == "close"
    if other.what != "receive":
        return False
    assert other.number == move.number, f"role {move.peer} expects region {other.number}, gets {move.number}"
    return True


def informed(choice: Decide, word: int) -> Todo:
    relayed = tuple(SendWord(peer, choice.number, word) for peer in choice.to)
    return (*relayed, *choice.arms[word])


def _with(state: State, changes: dict[int, Todo]) -> State:
    return tuple(changes.get(position, todo) for position, todo in enumerate(state))


def cycle_of(waiting: dict[int, Any]) -> list[tuple[int, str]]:
    """Follow "waits for" from any role that is not done until a role comes again, or one that is done;
    `waiting` holds their next steps."""
    path: list[int] = []
    role = min(waiting)
    while role in waiting and role not in path:
        path.append(role)
        role = awaited(waiting[role])
    path = path[path.index(role) :] if role in path else path
    return [(each, _wish(waiting[each])) for each in path]


def awaited(step: Any) -> int:
    """Who has to act before a step can be done."""
    peer = step.source if isinstance(step, Decide) else step.peer
    assert peer is not None
    return int(peer)


def _wish(step: Any) -> str:
    match step:
        case Move("close" | "connect" | "accept" as what, peer):
            return f"{what} with role {peer}"
        case Act(what):
            return f"{what} alone"
        case Move(what, peer, number):
            return f"{what} region {number} {'to' if what == 'send' else 'from'} role {peer}"
        case Decide(number, _, source, _):
            return f"receive word {number} from role {source}"
        case _:
            return f"send word {step.number} to role {step.peer}"
