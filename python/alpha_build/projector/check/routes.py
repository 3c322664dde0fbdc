"""How a choice's word travels: each receiver is introduced once, by somebody who knows it already."""

from __future__ import annotations

from typing import Any

from .scope import Scope


def check_routes(routes: Any, authority: int, where: str, scope: Scope) -> tuple[tuple[int, int], ...]:
    """The (forwarder, receiver) pairs that hold; each bad one is noted."""
    informed = {authority}
    kept: list[tuple[int, int]] = []
    for index, route in enumerate(routes):
        pair = _pair(route, f"{where} route {index}", scope)
        if pair is not None and _holds(pair, informed, f"{where} route {index}", scope):
            kept.append(pair)
            informed.add(pair[1])
    return tuple(kept)


def _pair(route: Any, where: str, scope: Scope) -> tuple[int, int] | None:
    if not isinstance(route, tuple | list) or len(route) != 2:
        scope.protocol_failure("route", where, f"{route!r} is not a pair", "write (forwarder, receiver)")
        return None
    forwarder = scope.member(route[0], "route-unknown-forwarder", "forwarder", where)
    receiver = scope.member(route[1], "route-unknown-receiver", "receiver", where)
    return None if forwarder is None or receiver is None else (forwarder, receiver)


def _holds(pair: tuple[int, int], informed: set[int], where: str, scope: Scope) -> bool:
    forwarder, receiver = pair
    if forwarder == receiver:
        scope.protocol_failure(
            "route-to-self", where, f"forwarder {forwarder} routes to itself", "leave the route out"
        )
    elif receiver in informed:
        message = f"receiver {receiver} is introduced twice"
        scope.protocol_failure("route-repeats-receiver", where, message, "keep its first route")
    elif forwarder not in informed:
        message = f"forwarder {forwarder} is not yet informed"
        scope.protocol_failure("route-uninformed-forwarder", where, message, "route the word to it first")
    elif not scope.joined(forwarder, receiver):
        message = f"forwarder {forwarder} and receiver {receiver} share no edge"
        scope.protocol_failure("route-no-edge", where, message, "route along the topology's edges")
    else:
        return True
    return False
