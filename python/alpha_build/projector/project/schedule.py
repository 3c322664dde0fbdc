"""One role's steps: what each form of the protocol asks of it, and nothing of what it asks of others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...system.forms import Choice, Combine, Deliver, Everyone, Form, Local, Repeat, Transfer
from ..check import Checked
from ..check.learned import Every, Publish, Start, Until
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
    PublishStep,
    ReceiveStep,
    RepeatStep,
    ScatterStep,
    SendStep,
    StartStep,
    Step,
    UntilStep,
)
from .tables import Tables
from .view import View


def runs_through(checked: Checked) -> bool:
    """Whether a combine is a running sum down and up the tree: order sequence, which is the order of a tree
    of one level, but not of a deeper one."""
    tree = checked.shape.tree
    return checked.system.contract.order == "sequence" and tree is not None and tree.levels > 1


class Projector:
    """Projects nodes to the steps of one view; `operations` are the system's own that the role runs."""

    def __init__(self, checked: Checked, view: View, tables: Tables) -> None:
        self._checked = checked
        self._view = view
        self._tables = tables
        self.operations: dict[str, None] = {}

    def steps(self, nodes: Iterable[Node]) -> tuple[Step, ...]:
        """The steps of some forms, one after the other."""
        return tuple(step for node in nodes for step in self._node(node))

    def _node(self, node: Node) -> Iterator[Step]:
        match node.form:
            case Repeat(count=count):
                body = self.steps(node.parts) if count else ()
                if body:
                    yield RepeatStep(node.label, int(count), body)
            case Every(period=period):
                body = self.steps(node.parts)
                if body:
                    yield EveryStep(node.label, period, body)
            case Choice():
                yield from self._choice(node, node.form)
            case Local() | Everyone() | Transfer():
                yield from self._single(node, node.form)
            case _:
                yield from self._structural(node, node.form)

    def _single(self, node: Node, form: Local | Everyone | Transfer) -> Iterator[Step]:
        role = self._view.role
        match form:
            case Local(role=runs, operation=operation):
                if runs == role:
                    yield self._local(node, str(operation))
            case Everyone(operation=operation):
                yield self._local(node, str(operation))
            case Transfer(sender=sender, receiver=receiver):
                if sender == role:
                    yield SendStep(node.label, self._tables.region(node.wires[0]), self._slot(receiver))
                elif receiver == role:
                    yield ReceiveStep(node.label, self._tables.region(node.wires[0]), self._slot(sender))

    def _structural(self, node: Node, form: Form) -> Iterator[Step]:
        view, region = self._view, self._tables.region
        match form:
            case Combine() | Deliver() if self._checked.shape.tree is None:
                yield from self._over_mesh(node, form)
            case Combine() if node.exchange:
                yield ExchangeStep(node.label, region(node.wires[0]), 0)
            case Combine():
                kind = CombinePrefixStep if runs_through(self._checked) else CombineStep
                yield kind(node.label, region(node.wires[0]), view.parent, view.children)
            case Deliver(owners=None):
                if not node.exchange and view.edges:
                    yield DeliverStep(node.label, region(node.wires[0]), view.parent, view.children)
            case Deliver(owners=owners):
                yield from self._deliver_to(node, self._checked.group.rank(int(str(owners))))
            case Start():
                yield StartStep(node.label, region(node.wires[0]), *self._from_root())
            case Until():
                yield UntilStep(node.label, region(node.wires[0]), *self._from_root())
            case Publish():
                up, down = node.wires
                yield PublishStep(node.label, region(up), region(down), *self._from_root())
            case _:
                raise AssertionError(f"{form!r} is no node's form")

    def _from_root(self) -> tuple[int | None, tuple[int, ...]]:
        """Whence what the root says comes, and whither it goes on: down the tree, or over a mesh at once."""
        view = self._view
        if self._checked.shape.tree is not None:
            return view.parent, view.children
        return (None, tuple(range(len(view.edges)))) if view.position == 0 else (0, ())

    def _over_mesh(self, node: Node, form: Form) -> Iterator[Step]:
        """Every member holds a part of what was combined; what lies whole lies at the first member."""
        view, region = self._view, self._tables.region(node.wires[0])
        everyone = tuple(range(len(view.edges)))
        source, to = self._from_root()
        match form:
            case Combine():
                yield CombinePartsStep(node.label, region, everyone)
            case Deliver(owners=int(owner)):
                yield from self._over_mesh_to(node, region, self._checked.group.rank(owner))
            case Deliver(owners="parts"):
                if not node.in_parts and everyone:
                    yield ScatterStep(node.label, region, source, to)
            case Deliver() if everyone:
                if node.in_parts:
                    yield GatherStep(node.label, region, everyone, everyone)
                else:
                    yield DeliverStep(node.label, region, source, to)

    def _over_mesh_to(self, node: Node, region: int, owner: int) -> Iterator[Step]:
        view = self._view
        if node.in_parts and view.position == owner and view.edges:
            yield GatherStep(node.label, region, tuple(range(len(view.edges))), ())
        elif node.in_parts and view.position != owner:
            yield GatherStep(node.label, region, (), (view.slot(owner),))
        elif owner != 0 and view.position == 0:
            yield DeliverStep(node.label, region, None, (view.slot(owner),))
        elif owner != 0 and view.position == owner:
            yield DeliverStep(node.label, region, 0, ())

    def _deliver_to(self, node: Node, owner: int) -> Iterator[Step]:
        """Down the one path from the root to the owner."""
        view = self._view
        to = tuple(
            slot
            for slot, span in zip(view.children, view.child_subtrees, strict=True)
            if span.begin <= owner < span.end
        )
        if to or (owner == view.position and view.parent is not None):
            yield DeliverStep(node.label, self._tables.region(node.wires[0]), view.parent, to)

    def _choice(self, node: Node, form: Choice) -> Iterator[Step]:
        source, to, informed = self._word_path(form)
        if not informed:
            return
        region = self._tables.region(node.wires[0])
        then, otherwise = self.steps(node.parts), self.steps(node.otherwise)
        if source is not None or to or then or otherwise:
            yield ChooseStep(node.label, region, source, to, then, otherwise)

    def _word_path(self, form: Choice) -> tuple[int | None, tuple[int, ...], bool]:
        """Slot whence the word comes, slots to which it goes on, and whether it comes here at all."""
        view, role = self._view, self._view.role
        if form.routes is None:
            return self._default_path(self._checked.group.rank(form.authority))
        source = next(
            (self._slot(forwarder) for forwarder, receiver in form.routes if receiver == role), None
        )
        to = tuple(self._slot(receiver) for forwarder, receiver in form.routes if forwarder == role)
        return source, to, source is not None or view.role == form.authority

    def _default_path(self, authority: int) -> tuple[int | None, tuple[int, ...], bool]:
        """Along the topology, away from the authority."""
        view, shape = self._view, self._checked.shape
        slots = range(len(view.edges))
        if view.position == authority:
            return None, tuple(slots), True
        source = view.slot(shape.toward(view.position, authority))
        onward = () if shape.tree is None else tuple(slot for slot in slots if slot != source)
        return source, onward, True

    def _local(self, node: Node, operation: str) -> Step:
        known = self._checked.operations.get(operation)
        if known is not None:
            self.operations[operation] = None
            for name in (*known.reads, *known.writes):
                self._tables.buffer(name)
        return LocalStep(node.label, operation)

    def _slot(self, role: int) -> int:
        return self._view.slot(self._checked.group.rank(role))
