"""What Combine and Deliver mean, by expansion into Transfer and Local: a definition for small systems.

Projection never expands.  The tests show that projecting a structural form, its steps unfolded, and
projecting its expansion give every role the same steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...system.forms import Combine, Deliver, Local, Transfer
from ..check import Checked
from ..check.node import Node
from .program import (
    ChooseStep,
    CombinePartsStep,
    CombinePrefixStep,
    CombineStep,
    DeliverStep,
    EveryStep,
    ExchangeStep,
    GatherStep,
    LocalStep,
    ReceiveStep,
    RepeatStep,
    ScatterStep,
    SendStep,
    Step,
)
from .schedule import runs_through

ADD = "add"  # what was received to what is held
DIVIDE = "divide"  # by the declared denominator, once


def expand(checked: Checked, nodes: Iterable[Node]) -> tuple[Node, ...]:
    """The protocol with each Combine and Deliver as transfers, which keep its number, and local work."""
    return tuple(expanded for node in nodes for expanded in _expand(checked, node))


def _expand(checked: Checked, node: Node) -> Iterator[Node]:
    match node.form:
        case Combine() | Deliver() if checked.shape.tree is None:
            yield from _over_mesh(checked, node)
        case Combine() if node.exchange:
            yield _transfer(checked, node, 1, 0)
            yield _transfer(checked, node, 0, 1)
            for position in (0, 1):
                yield _local(checked, node, position, ADD)
                yield from _divide(checked, node, position)
        case Combine():
            yield from (_pass_through if runs_through(checked) else _combine)(checked, node, 0)
            yield from _divide(checked, node, 0)
        case Deliver(owners=None):
            if not node.exchange:
                yield from _deliver(checked, node, 0)
        case Deliver(owners=owner):
            yield from _deliver_to(checked, node, checked.group.rank(int(str(owner))))
        case _:
            parts, otherwise = expand(checked, node.parts), expand(checked, node.otherwise)
            yield replace(node, parts=parts, otherwise=otherwise)


def _over_mesh(checked: Checked, node: Node) -> Iterator[Node]:
    """A transfer into a member's part, or of it, where the region lies or comes to lie in parts."""
    members = range(len(checked.group))
    match node.form:
        case Combine():
            for owner in members:
                others = [other for other in members if other != owner]
                yield from (_transfer(checked, node, other, owner) for other in others)
                if others:
                    yield _local(checked, node, owner, ADD)
                yield from _divide(checked, node, owner)
        case Deliver(owners="parts"):
            if not node.in_parts:
                yield from (_transfer(checked, node, 0, other) for other in members[1:])
        case Deliver(owners=owners):
            takers = members if owners is None else [checked.group.rank(int(owners))]
            for sender in members if node.in_parts else [0]:
                yield from (_transfer(checked, node, sender, taker) for taker in takers if taker != sender)


def _combine(checked: Checked, node: Node, position: int) -> Iterator[Node]:
    """Children first, each subtotal added as it comes, in child order."""
    for span in checked.shape.child_subtrees(position):
        yield from _combine(checked, node, span.begin)
        yield _transfer(checked, node, span.begin, position)
        yield _local(checked, node, position, ADD)


def _pass_through(checked: Checked, node: Node, position: int) -> Iterator[Node]:
    """The sum so far goes to each child, which adds its own value, and comes back from it."""
    for span in checked.shape.child_subtrees(position):
        yield _transfer(checked, node, position, span.begin)
        yield _local(checked, node, span.begin, ADD)
        yield from _pass_through(checked, node, span.begin)
        yield _transfer(checked, node, span.begin, position)


def _deliver(checked: Checked, node: Node, position: int) -> Iterator[Node]:
    """To every child, then on below each."""
    children = checked.shape.child_subtrees(position)
    for span in children:
        yield _transfer(checked, node, position, span.begin)
    for span in children:
        yield from _deliver(checked, node, span.begin)


def _deliver_to(checked: Checked, node: Node, owner: int) -> Iterator[Node]:
    """Along the path from the root to one owner."""
    position = 0
    while position != owner:
        below = checked.shape.toward(position, owner)
        yield _transfer(checked, node, position, below)
        position = below


def _divide(checked: Checked, node: Node, position: int) -> Iterator[Node]:
    if checked.system.contract.normalization == "mean":
        yield _local(checked, node, position, DIVIDE)


def _transfer(checked: Checked, node: Node, sender: int, receiver: int) -> Node:
    member, region = checked.group.member, node.wires[0].region
    return replace(node, form=Transfer(member(sender), member(receiver), region, place=node.form.place))


def _local(checked: Checked, node: Node, position: int, work: str) -> Node:
    form = Local(checked.group.member(position), work, place=node.form.place)
    return Node(form, node.path)


def unfold(steps: Iterable[Step], position: int, mean: bool) -> tuple[Step, ...]:
    """The structural steps of the role at a position as sends, receives and local work."""
    return tuple(small for step in steps for small in _unfold(step, position, mean))


def _unfold(step: Step, position: int, mean: bool) -> Iterator[Step]:
    divided = (LocalStep(step.place, DIVIDE),) if mean else ()
    match step:
        case CombineStep(region=region, parent=parent, children=children):
            for child in children:
                yield ReceiveStep(step.place, region, child)
                yield LocalStep(step.place, ADD)
            if parent is not None:
                yield SendStep(step.place, region, parent)
            else:
                yield from divided
        case CombinePrefixStep(region=region, parent=parent, children=children):
            if parent is not None:
                yield ReceiveStep(step.place, region, parent)
                yield LocalStep(step.place, ADD)
            for child in children:
                yield SendStep(step.place, region, child)
                yield ReceiveStep(step.place, region, child)
            if parent is not None:
                yield SendStep(step.place, region, parent)
            else:
                yield from divided
        case ExchangeStep(region=region, peer=peer):
            crossing = (SendStep(step.place, region, peer), ReceiveStep(step.place, region, peer))
            yield from reversed(crossing) if position == 0 else crossing
            yield LocalStep(step.place, ADD)
            yield from divided
        case CombinePartsStep(region=region, peers=peers):
            yield from (SendStep(step.place, region, slot) for slot in peers[:position])
            if peers:
                yield from (ReceiveStep(step.place, region, slot) for slot in peers)
                yield LocalStep(step.place, ADD)
            yield from divided
            yield from (SendStep(step.place, region, slot) for slot in peers[position:])
        case GatherStep(region=region, sources=sources, to=to):
            yield from (ReceiveStep(step.place, region, slot) for slot in sources if slot < position)
            yield from (SendStep(step.place, region, slot) for slot in to)
            yield from (ReceiveStep(step.place, region, slot) for slot in sources if slot >= position)
        case DeliverStep(region=region, source=source) | ScatterStep(region=region, source=source):
            if source is not None:
                yield ReceiveStep(step.place, region, source)
            for slot in step.to:
                yield SendStep(step.place, region, slot)
        case RepeatStep(body=body) | EveryStep(body=body):
            small = unfold(body, position, mean)
            if small:
                yield replace(step, body=small)
        case ChooseStep(source=source, to=to):
            then, otherwise = unfold(step.then, position, mean), unfold(step.otherwise, position, mean)
            if source is not None or to or then or otherwise:
                yield replace(step, then=then, otherwise=otherwise)
        case _:
            yield step
