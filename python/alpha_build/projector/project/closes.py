"""Each edge is closed right after the outermost form that holds its last use, so that nobody waits for a peer
that is busy elsewhere; an edge that no form uses is closed first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from .program import (
    ChooseStep,
    CloseStep,
    CombinePartsStep,
    CombinePrefixStep,
    CombineStep,
    DeliverStep,
    EveryStep,
    ExchangeStep,
    GatherStep,
    PublishStep,
    ReceiveStep,
    RepeatStep,
    ScatterStep,
    SendStep,
    StartStep,
    Step,
    UntilStep,
)


def with_closes(outermost: Sequence[tuple[Step, ...]], edges: int, place: str) -> tuple[Step, ...]:
    """The schedule of some outermost forms' steps, with closes in ascending slot order where they belong.

    Both ends agree, since every role orders its closes as the pairs (lower, higher) are ordered.
    """
    last = dict.fromkeys(range(edges), -1)
    for index, steps in enumerate(outermost):
        for slot in slots_used(steps):
            last[slot] = index
    schedule: list[Step] = []
    for index, steps in enumerate(((), *outermost), start=-1):
        schedule += steps
        schedule += (CloseStep(f"{place} close", slot) for slot in range(edges) if last[slot] == index)
    return tuple(schedule)


def slots_used(steps: Iterable[Step]) -> Iterator[int]:
    """Slots of every edge on which the steps send or receive."""
    for step in steps:
        match step:
            case SendStep(to=to):
                yield to
            case ReceiveStep(source=source):
                yield source
            case ExchangeStep(peer=peer):
                yield peer
            case CombinePartsStep(peers=peers):
                yield from peers
            case GatherStep(sources=sources, to=to):
                yield from (*sources, *to)
            case ScatterStep(source=up, to=down):
                yield from _tree_slots(up, down)
            case CombineStep(parent=up, children=down) | CombinePrefixStep(parent=up, children=down):
                yield from _tree_slots(up, down)
            case PublishStep(parent=up, children=down):
                yield from _tree_slots(up, down)
            case (
                DeliverStep(source=up, to=down)
                | StartStep(source=up, to=down)
                | UntilStep(source=up, to=down)
            ):
                yield from _tree_slots(up, down)
            case ChooseStep(source=up, to=down):
                yield from _tree_slots(up, down)
                yield from slots_used(step.then)
                yield from slots_used(step.otherwise)
            case RepeatStep(body=body) | EveryStep(body=body):
                yield from slots_used(body)


def _tree_slots(up: int | None, down: tuple[int, ...]) -> Iterator[int]:
    if up is not None:
        yield up
    yield from down
