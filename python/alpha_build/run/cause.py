"""Finds the first cause of a failed run, by the rule of docs/endpoint.md: follow "waited for" to its end."""

from __future__ import annotations

from collections.abc import Sequence

from alpha_build.run.outcome import Cause, RoleEnd

_WAITED = range(74, 78)  # truncated, connect, accept, and the waits
_REFUSED = range(70, 74)


def first_cause(ends: Sequence[RoleEnd], holding: int | None = None) -> Cause | None:
    """The cause of a failure, None if all completed; `holding` is the role whose ports the start waited for.

    Every chain starts at a role that failed and goes to the peer that it waited for, until a role that did
    not wait: killed, refusing, failed locally, or silent.  Of several ends the earliest counts.
    """
    by_role = {end.role: end for end in ends}
    failed = [end for end in ends if end.fate in ("failed", "killed")]
    known: dict[int, RoleEnd] = {}
    found = [_end_of_chain(end, by_role, holding, known) for end in sorted(failed, key=_time)]
    # A role that died, refused or failed by itself says more than one that could not be heard.
    for end in sorted(
        (end for end in found if not _waited(end) and end.fate in ("failed", "killed")), key=_time
    ):
        return _cause(end, by_role)
    for end in found:
        if end.fate == "stopped":
            return _cause(end, by_role)
    if found:
        return _cause(found[0], by_role)
    if holding is not None:
        return _cause(by_role[holding], by_role)
    stopped = [end for end in ends if end.fate == "stopped"]
    return _cause(stopped[0], by_role) if stopped else None


def _end_of_chain(
    end: RoleEnd, by_role: dict[int, RoleEnd], holding: int | None, known: dict[int, RoleEnd]
) -> RoleEnd:
    """Where the waiting that starts at this role ends; `known` keeps what earlier chains found."""
    seen = {end.role: end}
    while end.role not in known:
        peer = _waited_for(end, holding)
        if peer is None or peer not in by_role or by_role[peer].fate == "complete":
            known[end.role] = end
        elif peer in seen:  # they all waited for each other
            known[end.role] = min(seen.values(), key=_time)
        else:
            end = by_role[peer]
            seen[peer] = end
    found = known[end.role]
    known.update(dict.fromkeys(seen, found))
    return found


def _waited(end: RoleEnd) -> bool:
    return end.fate == "failed" and end.exit in _WAITED


def _waited_for(end: RoleEnd, holding: int | None) -> int | None:
    if end.fate == "not started":
        return holding
    return _peer(end) if _waited(end) else None


def _peer(end: RoleEnd) -> int | None:
    """The other end of the edge that the role's line names."""
    if end.said is None or end.said.sender is None:
        return None
    return end.said.receiver if end.said.sender == end.role else end.said.sender


def _time(end: RoleEnd) -> float:
    return end.seconds if end.seconds is not None else float("inf")


def _cause(end: RoleEnd, by_role: dict[int, RoleEnd]) -> Cause:
    peer = _peer(end)
    if end.fate == "failed" and end.exit in _REFUSED and peer is not None:
        assert end.said is not None
        what = end.said.text.removeprefix(f"refused ({end.said.kind}): ")
        return Cause(
            end.role,
            peer,
            end.said.kind,
            f"role {end.role} refused what role {peer} sent ({end.said.kind}): {what}",
        )
    kind = end.said.kind if end.said else end.fate
    text = f"role {end.role} {end.text}" if end.said is None else f"role {end.role}: {end.text}"
    return Cause(end.role, peer, kind, text + _waiting(end, by_role))


def _waiting(end: RoleEnd, by_role: dict[int, RoleEnd]) -> str:
    """Who noticed first, for a role that cannot say so itself."""
    if end.said is not None:
        return ""
    waiting = [other for other in by_role.values() if _waited(other) and _peer(other) == end.role]
    if not waiting:
        return ""
    first = min(waiting, key=_time)
    assert first.said is not None
    return f" (role {first.role} waited for it: {first.said.text})"
