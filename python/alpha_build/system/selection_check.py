"""Turns a selection into its index, or says which node of it cannot be, and why."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

from .errors import MembershipFailure
from .limits import ROLE_MAX
from .selection import Joined, Node, Repetition, Selection, Stride


def index(selection: Selection, universe: int, node_count_max: int) -> Node:
    """The checked index of a selection, built once; raises `MembershipFailure`."""
    _count_nodes(selection, node_count_max)
    root = _node(selection, "selection")
    for role in (root.first, root.last):
        if not 0 <= role < universe:
            raise _failure(
                "outside-universe",
                "selection",
                f"role {role} is outside the universe, whose roles are 0 to {universe - 1}",
                "enlarge universe=, or move the selection",
            )
    return root


def _count_nodes(selection: Selection, node_count_max: int) -> None:
    """Count without recursing, so that a selection of any depth is refused and overflows no stack."""
    waiting: list[Any] = [selection]
    count = 0
    while waiting:
        node = waiting.pop()
        count += 1
        if count > node_count_max:
            raise _failure(
                "too-many-nodes",
                "selection",
                f"the selection has more than {node_count_max} index nodes",
                "write regular parts with repeat(), or raise node_count_max=",
            )
        match node:
            case Repetition():
                waiting.append(node.part)
            case Joined():
                waiting.extend(node.parts)


def _node(selection: Any, path: str) -> Node:
    match selection:
        case Stride():
            return _stride(selection, path)
        case Repetition():
            return _repetition(selection, path)
        case Joined():
            return _joined(selection, path)
        case _:
            raise _failure(
                "not-a-selection",
                path,
                f"{selection!r} is not a selection",
                "use stride(start, step, count), repeat(count, period, part) or join(part, ...)",
            )


def _stride(form: Stride, path: str) -> Node:
    here = f"{path} stride"
    start, step, count = (_integer(here, name, getattr(form, name)) for name in ("start", "step", "count"))
    _not_empty(here, count)
    if step == 0 and count > 1:
        message = f"step 0 names role {start} {count} times"
        raise _failure("step-zero", here, message, "use a step of 1 or more")
    last = _bounded(here, start + step * (count - 1))
    return Node(form, count, start, last)


def _repetition(form: Repetition, path: str) -> Node:
    here = f"{path} repeat"
    count = _integer(here, "count", form.count)
    period = _integer(here, "period", form.period)
    _not_empty(here, count)
    part = _node(form.part, f"{here}.part")
    span = part.last - part.first + 1
    if count > 1 and period < span:
        raise _failure(
            "overlap",
            here,
            f"the period {period} is under the part's span {span} (roles {part.first} to {part.last}): "
            "copies overlap",
            f"use a period of {span} or more",
        )
    last = _bounded(here, part.last + period * (count - 1))
    return Node(form, _bounded(here, part.count * count), part.first, last, (part,))


def _joined(form: Joined, path: str) -> Node:
    here = f"{path} join"
    _not_empty(here, len(form.parts))
    nodes = tuple(_node(part, f"{here}.part[{position}]") for position, part in enumerate(form.parts))
    for position, (before, after) in enumerate(pairwise(nodes), start=1):
        if after.last < before.first:
            raise _failure(
                "out-of-order",
                f"{here}.part[{position}]",
                f"the part (roles {after.first} to {after.last}) lies before the previous one "
                f"(roles {before.first} to {before.last})",
                "join parts in ascending order",
            )
        if after.first <= before.last:
            raise _failure(
                "overlap",
                f"{here}.part[{position}]",
                f"the part starts at role {after.first}, not after the last role before it, {before.last}",
                "start it later, or interleave with stride() and repeat()",
            )
    count = _bounded(here, sum(node.count for node in nodes))
    before_each = tuple(accumulate((node.count for node in nodes[:-1]), initial=0))
    return Node(form, count, nodes[0].first, nodes[-1].last, nodes, before_each)


def _integer(path: str, name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _failure("not-an-integer", path, f"{name} is {value!r}", "give a whole number")
    if value < 0:
        raise _failure("negative", path, f"{name} is {value}", "give 0 or more")
    return _bounded(path, value)


def _not_empty(path: str, count: int) -> None:
    if count == 0:
        raise _failure("empty", path, "the selection is empty", "select at least one role")


def _bounded(path: str, value: int) -> int:
    if value > ROLE_MAX:
        raise _failure("overflow", path, f"{value} is past 2^63-1", "use smaller numbers")
    return value


def _failure(kind: str, path: str, message: str, hint: str) -> MembershipFailure:
    return MembershipFailure(message, kind=kind, where=path, hint=hint)
