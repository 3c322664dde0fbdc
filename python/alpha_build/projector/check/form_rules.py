"""The rules of each form without parts, and of a choice's own fields; None means that it cannot stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...system.forms import Choice, Combine, Deliver, Everyone, Local, Transfer
from ...system.limits import REGION_BYTES_MAX
from ...system.region import Operation, Region, Word
from .contract import COMBINED_ELEMENTS, travelling_element
from .regions import ELEMENT_BYTES, REALIZED
from .routes import check_routes
from .scope import Scope


def check_local(form: Local, where: str, scope: Scope) -> Local | None:
    """Member, operation, a realization on the role's target, and fields that repeat the operation's own."""
    role = scope.member(form.role, "participant-out-of-range", "role", where)
    operation = _operation(form.operation, where, scope)
    if operation is None:
        return None
    _check_realized(operation, f"role {form.role}", where, scope)
    for field, declared in (("reads", operation.reads), ("writes", operation.writes)):
        given: Sequence[str] | None = getattr(form, field)
        if given is not None and set([given] if isinstance(given, str) else given) != set(declared):
            message = f"{field}={given!r}, while operation {operation.name!r} declares {list(declared)!r}"
            scope.protocol_failure("declaration-differs", where, message, f"leave {field}= out of the form")
    return None if role is None else replace(form, role=role, operation=operation.name)


def check_everyone(form: Everyone, where: str, scope: Scope) -> Everyone | None:
    """Operation, and a realization on every target."""
    if scope.learns:
        return form
    operation = _operation(form.operation, where, scope)
    if operation is None:
        return None
    _check_realized(operation, "every role", where, scope)
    return replace(form, operation=operation.name)


def check_transfer(form: Transfer, where: str, scope: Scope) -> Transfer | None:
    """Two different members, joined, and a region that can move."""
    sender = scope.member(form.sender, "sender-out-of-range", "sender", where)
    receiver = scope.member(form.receiver, "receiver-out-of-range", "receiver", where)
    region = scope.region(form.region, where)
    if region is not None:
        _check_movable(region, form.region, where, scope)
    if sender is None or receiver is None or region is None:
        return None
    if sender == receiver:
        message = f"role {sender} sends to itself"
        scope.protocol_failure("self-transfer", where, message, "use Local: its regions stay in place")
        return None
    if not scope.joined(sender, receiver):
        message = f"roles {sender} and {receiver} share no edge of {scope.shape.topology}"
        scope.protocol_failure("no-edge", where, message, "pass through roles between them, or use Mesh()")
        return None
    return replace(form, sender=sender, receiver=receiver)


def check_combine(form: Combine, where: str, scope: Scope) -> Combine | None:
    """A region with an element that can be combined as the contract says, on the system's own topology."""
    region = scope.region(form.region, where)
    if not _structural(form, where, scope) or region is None:
        return None
    if region.element not in COMBINED_ELEMENTS:
        message = f"region {form.region!r} of element {region.element} cannot be combined"
        scope.contract_failure(
            "combine-element", where, message, f"use one of {', '.join(COMBINED_ELEMENTS)}"
        )
        return None
    if travelling_element(scope.contract.element) not in (None, region.element):
        message = (
            f"region {form.region!r} is {region.element}, the contract's element {scope.contract.element}"
        )
        scope.contract_failure("element-differs", where, message, "make them the same, or leave element= out")
    if region.element in ("i32", "i64") and scope.contract.normalization == "mean":
        message = f"region {form.region!r} of element {region.element} has no mean"
        scope.contract_failure("integer-mean", where, message, 'use Contract(normalization="sum")')
    _check_movable(region, form.region, where, scope)
    return form


def check_deliver(form: Deliver, where: str, scope: Scope) -> Deliver | None:
    """A region, and every owner or one of the members."""
    region = scope.region(form.region, where)
    if not _structural(form, where, scope) or region is None:
        return None
    _check_movable(region, form.region, where, scope)
    if form.owners is None:
        return form
    if form.owners == "parts":
        if scope.shape.tree is None:
            return form
        message = f"owners='parts' needs every member joined to every other, not {scope.shape.topology}"
        scope.protocol_failure("parts-without-mesh", where, message, "use topology=Mesh()")
        return None
    owner = scope.member(form.owners, "participant-out-of-range", "owner", where)
    return None if owner is None else replace(form, owners=owner)


def check_choice(form: Choice, where: str, scope: Scope) -> Choice | None:
    """Authority, selector and routes."""
    authority = scope.member(form.authority, "choice-authority", "authority", where)
    selector = scope.region(form.selector, where)
    if selector is not None and not isinstance(selector, Word):
        message = f"selector {form.selector!r} is a region of {selector.element}, not a word"
        scope.protocol_failure("choice-selector", where, message, f"declare it as {form.selector}=Word()")
        return None
    if authority is None or selector is None:
        return None
    if form.routes is None:
        return replace(form, authority=authority)
    return replace(form, authority=authority, routes=check_routes(form.routes, authority, where, scope))


def _operation(given: Any, where: str, scope: Scope) -> Operation | None:
    name = given.name if isinstance(given, Operation) else given
    known = scope.operations.get(name) if isinstance(name, str) else None
    if known is not None and (known == given or not isinstance(given, Operation)):
        return known
    listed = ", ".join(sorted(scope.operations)) or "nothing"
    message = f"operation {name!r} is not one of the system's"
    scope.protocol_failure("unknown-operation", where, message, f"operations= has {listed}")
    return None


def _check_realized(operation: Operation, who: str, where: str, scope: Scope) -> None:
    """No operation falls back to another target: without a source for it, it is refused here."""
    if operation.cpp is None:
        message = f"operation {operation.name!r} has no realization on the target of {who}"
        scope.protocol_failure("no-realization", where, message, "give its C++ source as cpp=")
    if operation.parts and scope.shape.tree is not None:
        message = f"operation {operation.name!r} works on parts, which only members of a mesh hold"
        scope.protocol_failure("parts-without-mesh", where, message, "use topology=Mesh()")
    for name in (*operation.reads, *operation.writes):
        region = scope.regions.get(name)
        if isinstance(region, Region) and region.element not in REALIZED:
            message = f"operation {operation.name!r} uses region {name!r} of element {region.element}"
            hint = f"use one of {', '.join(REALIZED)}"
            scope.protocol_failure("no-realization", where, f"{message}, which no target realizes", hint)


def _check_movable(region: Region | Word, name: str, where: str, scope: Scope) -> None:
    if isinstance(region, Word):
        return
    if region.element not in REALIZED:
        message = f"region {name!r} of element {region.element} has no realization as a transfer"
        scope.protocol_failure("transfer-unrealized", where, message, f"use one of {', '.join(REALIZED)}")
    elif region.count * ELEMENT_BYTES[region.element] > REGION_BYTES_MAX:
        message = f"region {name!r} of {region.count} elements is over {REGION_BYTES_MAX} bytes"
        scope.protocol_failure("transfer-unrealized", where, message, "cut it into several regions")


def _structural(form: Combine | Deliver, where: str, scope: Scope) -> bool:
    """What holds for both structural forms of communication."""
    if not isinstance(form, Combine):
        return True
    for field, mine in (("topology", scope.shape.topology), ("contract", scope.contract)):
        given = getattr(form, field)
        if given is not None and given != mine:
            message = f"{field}= of a combine differs from the system's, which is not in this release"
            scope.contract_failure("not-in-this-release", where, message, f"set the system's {field}=")
            return False
    return True
