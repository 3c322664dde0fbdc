"""A role's schedule as nested tables, innermost first, one line a step."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alpha_build.projector.emit.text import Names, call, folded, literal
from alpha_build.projector.project.program import (
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
    ScatterStep,
    SendStep,
    StartStep,
    Step,
    UntilStep,
)

_LEARNER_WORK = {"gradient": "learner_gradient", "update": "learner_update", "evaluate": "learner_evaluate"}


@dataclass(frozen=True)
class Table:
    """`constexpr Step name[] = {...}`."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Schedule:
    edges: tuple[str, ...]  # constant of each slot
    routes: tuple[tuple[str, str], ...]  # constant and its slots, for steps that name several
    tables: tuple[Table, ...]  # the last is the whole schedule
    counts: tuple[tuple[str, int], ...]  # steps of each kind, loops and both arms entered once


class ScheduleEmitter:
    """Names what a schedule mentions and writes its tables."""

    def __init__(self, program: RoleProgram, regions: Sequence[str], works: Mapping[str, str], names: Names):
        self._program = program
        self._regions = regions
        self._works = works
        self._names = names
        self._edges = tuple(names.constant(edge.name) for edge in program.edges)
        self._routes: dict[tuple[int, ...], str] = {}
        self._tables: list[Table] = []
        self._counts: Counter[str] = Counter()

    def emit(self) -> Schedule:
        self._table("kSchedule", self._program.schedule)
        routes = tuple((name, self._slots(slots, name)) for slots, name in self._routes.items())
        return Schedule(self._edges, routes, tuple(self._tables), tuple(sorted(self._counts.items())))

    def _table(self, name: str, steps: Sequence[Step]) -> str:
        lines = tuple(self._step(step) for step in steps)
        self._tables.append(Table(name, lines))
        return name

    def _arm(self, name: str, steps: Sequence[Step]) -> str:
        return self._table(self._names.constant(name), steps) if steps else "{}"

    def _step(self, step: Step) -> str:
        name, operation, arguments = self._parts(step)
        self._counts[operation] += 1
        return call(name, [*arguments, literal(step.place)], indent=4)

    def _parts(self, step: Step) -> tuple[str, str, list[str]]:
        """Function of cpp/role/steps.h, name in enum Op, arguments before the place."""
        match step:
            case LocalStep(operation=operation):
                work = self._works.get(operation) or _LEARNER_WORK[operation]
                return "local", "local", [work]
            case SendStep(region=region, to=to):
                return "send", "send", [self._regions[region], self._edges[to]]
            case ReceiveStep(region=region, source=source):
                return "receive", "receive", [self._regions[region], self._edges[source]]
            case CombineStep(region=region, parent=parent, children=children):
                return (
                    "combine_up",
                    "combine",
                    [self._regions[region], self._edge(parent), self._route(children)],
                )
            case CombinePrefixStep(region=region, parent=parent, children=children):
                arguments = [self._regions[region], self._edge(parent), self._route(children)]
                return "combine_prefix", "combine_prefix", arguments
            case CombinePartsStep(region=region, peers=peers):
                return "combine_parts", "combine_parts", [self._regions[region], self._route(peers)]
            case GatherStep(region=region, sources=sources, to=slots):
                return "gather", "gather", [self._regions[region], self._route(sources), self._route(slots)]
            case ScatterStep(region=region, source=source, to=slots):
                return "scatter", "scatter", [self._regions[region], self._edge(source), self._route(slots)]
            case ExchangeStep(region=region, peer=peer):
                return "exchange", "exchange", [self._regions[region], self._edges[peer]]
            case DeliverStep(region=region, source=source, to=slots):
                return "deliver", "deliver", [self._regions[region], self._edge(source), self._route(slots)]
            case StartStep(region=region, source=source, to=slots):
                return "start", "start", [self._regions[region], self._edge(source), self._route(slots)]
            case UntilStep(region=region, source=source, to=slots):
                return "until", "until", [self._regions[region], self._edge(source), self._route(slots)]
            case PublishStep(region=up, region_down=down, parent=parent, children=children):
                regions = [self._regions[up], self._regions[down]]
                return "publish", "publish", [*regions, self._edge(parent), self._route(children)]
            case ChooseStep(region=region, source=source, to=slots, then=then, otherwise=otherwise):
                word = [self._regions[region], self._edge(source), self._route(slots)]
                return "choose", "choose", [*word, self._arm("then", then), self._arm("otherwise", otherwise)]
            case RepeatStep(count=count, body=body):
                return "repeat", "repeat", [str(count), self._arm("round", body)]
            case EveryStep(period=period, body=body):
                return "every", "every", [str(period), self._arm("evaluation", body)]
            case CloseStep(edge=edge):
                return "close", "close", [self._edges[edge]]
            case _:
                raise AssertionError(f"a step without a row: {step!r}")

    def _edge(self, slot: int | None) -> str:
        return "kNoSlot" if slot is None else self._edges[slot]

    def _route(self, slots: tuple[int, ...]) -> str:
        if not slots:
            return "kNoSlots"
        if slots not in self._routes:
            children = all(self._program.edges[slot].name.startswith("child") for slot in slots)
            everyone = self._program.kind == "peer" and len(slots) == len(self._program.edges)
            name = "children" if children else "everyone" if everyone else "route"
            self._routes[slots] = self._names.constant(name)
        return self._routes[slots]

    def _slots(self, slots: tuple[int, ...], name: str) -> str:
        head = len(f"constexpr Slot {name}[] = {{")
        return folded([self._edges[slot] for slot in slots], 4, head, reserve=2)
