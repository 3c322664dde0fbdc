"""What happens in a run, in the protocol's order: between members, or in a large system between levels."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ..projector.check import Checked
from ..projector.check.learned import Every, Publish, Start, Until
from ..projector.check.node import Node
from ..projector.project.expansion import expand
from ..system.forms import Choice, Combine, Deliver, Everyone, Local, Repeat, Transfer
from .levels import levels, path

MEMBERS_MAX = 12  # one lane each
EVENTS_MAX = 200


@dataclass(frozen=True)
class Arrow:
    source: int  # lanes
    target: int
    label: str


@dataclass(frozen=True)
class Work:
    lanes: tuple[int, ...]
    label: str


@dataclass(frozen=True)
class Open:
    """A frame around what comes until its close: a repeat, an arm of a choice."""

    label: str


@dataclass(frozen=True)
class Close:
    pass


Event = Arrow | Work | Open | Close


@dataclass(frozen=True)
class Events:
    lanes: tuple[str, ...]
    events: tuple[Event, ...]


def events_of(checked: Checked) -> Events:
    """Every transfer of a small run; for a large one each form once, with counts."""
    count = len(checked.group)
    if count <= MEMBERS_MAX:
        events = tuple(Members(checked).events(expand(checked, checked.nodes)))
        if len(events) <= EVENTS_MAX:
            return Events(tuple(f"role {checked.group.member(at)}" for at in range(count)), events)
    kinds = Levels(checked)
    return Events(kinds.lanes, tuple(kinds.events(checked.nodes)))


class _Walk(ABC):
    """Frames and local work; communication is the subclass's."""

    def __init__(self, checked: Checked) -> None:
        self.checked = checked
        self.everyone: tuple[int, ...] = tuple(range(len(checked.group)))

    def lane(self, role: int) -> int:
        """Of a member: its position."""
        return self.checked.group.rank(role)

    def events(self, nodes: Iterable[Node]) -> Iterator[Event]:
        for node in nodes:
            match node.form:
                case Repeat(count=count):
                    yield from self._frame(f"{int(count):,} times", node.parts)
                case Every(period=period):
                    yield from self._frame(f"after every {period} rounds and the last", node.parts)
                case Choice(selector=selector):
                    yield from self.moves(node)
                    yield from self._frame(f"{selector} is 1", node.parts)
                    yield from self._frame(f"{selector} is 0", node.otherwise)
                case Local(role=role, operation=operation):
                    yield Work((self.lane(role),), self.of_role(str(operation), role))
                case Everyone(operation=operation):
                    yield Work(self.everyone, str(operation))
                case _:
                    yield from self.moves(node)

    def of_role(self, label: str, role: int) -> str:
        return label

    @abstractmethod
    def moves(self, node: Node) -> Iterator[Event]:
        """What a communicating form draws."""

    def _frame(self, label: str, nodes: tuple[Node, ...]) -> Iterator[Event]:
        if nodes:
            yield Open(label)
            yield from self.events(nodes)
            yield Close()


class Members(_Walk):
    """Lanes are members, Combine and Deliver already transfers."""

    def moves(self, node: Node) -> Iterator[Event]:
        match node.form:
            case Transfer(sender=sender, receiver=receiver, region=region):
                yield Arrow(self.lane(sender), self.lane(receiver), region)
            case Choice(authority=authority, selector=selector, routes=None):
                yield from self._away(self.lane(authority), None, selector)
            case Choice(selector=selector, routes=routes):
                for forwarder, receiver in routes or ():
                    yield Arrow(self.lane(forwarder), self.lane(receiver), selector)
            case Start(region=region) | Until(region=region):
                yield from self._away(0, None, region)
            case Publish(region=up, region_down=down):
                yield from self._up(0, up)
                yield from self._away(0, None, down)

    def _up(self, position: int, label: str) -> Iterator[Arrow]:
        """From everybody below a position to it, the deepest first."""
        shape = self.checked.shape
        if shape.tree is None:
            yield from (Arrow(peer, position, label) for peer in shape.neighbours(position))
        for span in shape.child_subtrees(position):
            yield from self._up(span.begin, label)
            yield Arrow(span.begin, position, label)

    def _away(self, position: int, source: int | None, label: str) -> Iterator[Arrow]:
        """From a position to everybody, along the topology."""
        shape = self.checked.shape
        onward = [peer for peer in shape.neighbours(position) if peer != source]
        yield from (Arrow(position, peer, label) for peer in onward)
        if shape.tree is not None:
            for peer in onward:
                yield from self._away(peer, position, label)


class Levels(_Walk):
    """Lanes are levels of the tree; on a mesh one lane holds everybody."""

    def __init__(self, checked: Checked) -> None:
        super().__init__(checked)
        tree = checked.shape.tree
        self.counts = [len(checked.group)] if tree is None else [level.total() for level in levels(tree)]
        self.lanes = tuple(
            f"level {depth}\n{count:,} role{'s' if count > 1 else ''}"
            for depth, count in enumerate(self.counts)
        )
        self.everyone = tuple(range(len(self.lanes)))

    def lane(self, role: int) -> int:
        tree = self.checked.shape.tree
        return 0 if tree is None else tree.depth(self.checked.group.rank(role))

    def of_role(self, label: str, role: int) -> str:
        return f"{label} at role {role}"

    def moves(self, node: Node) -> Iterator[Event]:
        match node.form:
            case Combine(region=region):
                yield from self._up(f"combine {region}")
            case Deliver(region=region, owners=int(owner)):
                yield from self._to(region, owner)
            case Deliver(region=region) | Start(region=region) | Until(region=region):
                yield from self._down(f"deliver {region}")
            case Publish(region=up, region_down=down):
                yield from self._up(up)
                yield from self._down(down)
            case Transfer(sender=sender, receiver=receiver, region=region):
                yield Arrow(self.lane(sender), self.lane(receiver), f"{region}, role {sender} to {receiver}")
            case Choice(authority=authority, selector=selector, routes=routes):
                told = f"{len(self.checked.group) - 1 if routes is None else len(tuple(routes)):,}"
                yield Work((self.lane(authority),), f"role {authority} sends {selector}, {told} transfers")

    def _up(self, label: str) -> Iterator[Event]:
        return (Arrow(e.target, e.source, e.label) if isinstance(e, Arrow) else e
                for e in reversed([*self._down(label)]))  # fmt: skip

    def _down(self, label: str) -> Iterator[Event]:
        if self.checked.shape.tree is None:
            yield Work((0,), f"{label}, every two members")
        for depth, count in enumerate(self.counts[1:]):
            yield Arrow(depth, depth + 1, f"{label}, {count:,} transfer{'s' if count > 1 else ''}")

    def _to(self, region: str, owner: int) -> Iterator[Event]:
        tree = self.checked.shape.tree
        if tree is None:
            yield Work((0,), f"deliver {region} to role {owner}")
            return
        for depth, at in enumerate([*path(tree, self.checked.group.rank(owner))][1:]):
            yield Arrow(depth, depth + 1, f"deliver {region} to role {self.checked.group.member(at)}")
