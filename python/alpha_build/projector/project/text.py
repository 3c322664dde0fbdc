"""A role's schedule as text, one line a step: what people and generated comments read."""

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
    LocalStep,
    PublishStep,
    ReceiveStep,
    RepeatStep,
    RoleProgram,
    RoleRows,
    ScatterStep,
    SendStep,
    StartStep,
    Step,
    UntilStep,
)


def schedule_text(program: RoleProgram, rows: RoleRows | None = None) -> str:
    """The whole schedule; with rows, peers are named by role, without, by slot."""
    return "\n".join(_lines(program.schedule, Namer(program, rows), ""))


def step_text(step: Step, program: RoleProgram, rows: RoleRows | None = None) -> str:
    """One step without its parts."""
    return _line(step, Namer(program, rows))


class Namer:
    """Names of edges and regions in one program."""

    def __init__(self, program: RoleProgram, rows: RoleRows | None) -> None:
        self._program = program
        self._rows = rows

    def edge(self, slot: int) -> str:
        """ "child[0]", with the peer's role where it is known."""
        name = self._program.edges[slot].name
        return name if self._rows is None else f"{name} (role {self._rows.edges[slot].peer})"

    def edges(self, slots: Sequence[int]) -> str:
        """Several edges, in order."""
        return ", ".join(map(self.edge, slots))

    def region(self, index: int) -> str:
        """The user's name of the memory, and the form's number on the wire."""
        region = self._program.regions[index]
        return f"{self._program.buffers[region.buffer].name} (region {region.number})"


def _lines(steps: Iterable[Step], namer: Namer, indent: str) -> Iterator[str]:
    for step in steps:
        yield f"{indent}{_line(step, namer)}    # {step.place}"
        deeper = indent + "  "
        match step:
            case RepeatStep(body=body) | EveryStep(body=body):
                yield from _lines(body, namer, deeper)
            case ChooseStep(then=then, otherwise=otherwise):
                for word, arm in (("1:", then), ("0:", otherwise)):
                    if arm:
                        yield f"{deeper}{word}"
                        yield from _lines(arm, namer, deeper + "  ")


def _line(step: Step, namer: Namer) -> str:
    match step:
        case LocalStep(operation=operation):
            return f"run {operation}"
        case SendStep(region=region, to=to):
            return f"send {namer.region(region)} to {namer.edge(to)}"
        case ReceiveStep(region=region, source=source):
            return f"receive {namer.region(region)} from {namer.edge(source)}"
        case CombinePartsStep(region=region, peers=peers):
            return f"combine own part of {namer.region(region)}{_way(namer, None, peers, 'with all of', '')}"
        case GatherStep(region=region, sources=sources, to=to):
            sent = f" to {namer.edges(to)}" if to else ""
            taken = f" from {namer.edges(sources)}" if sources else ""
            return f"gather parts of {namer.region(region)}{sent}{',' if sent and taken else ''}{taken}"
        case ScatterStep(region=region, source=source, to=to):
            return f"scatter parts of {namer.region(region)}{_way(namer, source, to, 'to', 'from')}"
        case ExchangeStep(region=region, peer=peer):
            return f"exchange {namer.region(region)} with {namer.edge(peer)}, both combine"
        case CombineStep(region=region, parent=parent, children=children):
            return f"combine {namer.region(region)}{_way(namer, parent, children, 'adding', 'up to')}"
        case CombinePrefixStep(region=region, parent=parent, children=children):
            way = _way(namer, parent, children, "through", "from and to")
            return f"combine {namer.region(region)} in sequence{way}"
        case DeliverStep(region=region, source=source, to=to):
            return f"deliver {namer.region(region)}{_way(namer, source, to, 'to', 'from')}"
        case ChooseStep(region=region, source=source, to=to):
            return f"choose by {namer.region(region)}{_way(namer, source, to, 'to', 'from')}"
        case RepeatStep(count=count):
            return f"repeat {count} times"
        case EveryStep(period=period):
            return f"after every {period} rounds and the last"
        case StartStep(source=source, to=to):
            return f"start from the root's generation{_way(namer, source, to, 'to', 'from')}"
        case UntilStep(region=region, source=source, to=to):
            return f"end the repeat if {namer.region(region)} says so{_way(namer, source, to, 'to', 'from')}"
        case PublishStep(parent=parent, children=children):
            return f"publish the state{_way(namer, parent, children, 'with', 'under')}"
        case CloseStep(edge=edge):
            return f"close {namer.edge(edge)}"
        case _:
            raise AssertionError(f"{step!r} has no text")


def _way(namer: Namer, up: int | None, down: Sequence[int], down_word: str, up_word: str) -> str:
    below = f" {down_word} {namer.edges(down)}" if down else ""
    above = f" {up_word} {namer.edge(up)}" if up is not None else ""
    return f"{below}{',' if below and above else ''}{above}"
