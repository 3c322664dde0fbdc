"""On a pair that delivers to every owner, both contributions cross and both ends combine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...system.forms import Combine, Deliver, Everyone, Local
from ...system.region import Operation
from .node import Node
from .participants import walk


def mark_exchanges(nodes: tuple[Node, ...], operations: Mapping[str, Operation]) -> tuple[Node, ...]:
    """Mark each Combine whose region is next named, in the same sequence, by a Deliver to every owner; and
    that Deliver, which then sends nothing."""
    marked = [
        replace(
            node,
            parts=mark_exchanges(node.parts, operations),
            otherwise=mark_exchanges(node.otherwise, operations),
        )
        for node in nodes
    ]
    for index, node in enumerate(marked):
        if isinstance(node.form, Combine):
            region = node.form.region
            following = range(index + 1, len(marked))
            after = next((i for i in following if region in _named(marked[i], operations)), None)
            if after is not None and _delivers_to_all(marked[after]):
                marked[index] = replace(node, exchange=True)
                marked[after] = replace(marked[after], exchange=True)
    return tuple(marked)


def _delivers_to_all(node: Node) -> bool:
    return isinstance(node.form, Deliver) and node.form.owners is None


def _named(node: Node, operations: Mapping[str, Operation]) -> set[str]:
    """Regions that a form touches, parts included."""
    names: set[str] = set()
    for inner in walk((node,)):
        names.update(wire.region for wire in inner.wires)
        if isinstance(inner.form, Local | Everyone):
            operation = operations.get(str(inner.form.operation))
            names.update((*operation.reads, *operation.writes) if operation else ())
    return names
