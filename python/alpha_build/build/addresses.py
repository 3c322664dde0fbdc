"""The addresses file of `bind`: where each role listens, and what its peers dial.

    {"roles": {
        "0": {"address": "10.0.0.1", "ports": {"1": 4000, "2": 4001}},
        "1": {"address": "10.0.0.2", "dial": {"0": {"address": "192.0.2.7", "port": 9000}}}}}

The lower role of an edge listens: `address` is its own, `ports` names one port for each higher peer (0, or a
peer left out: the kernel picks).  A higher role dials its lower peer's address and port, unless `dial` names
another way, through a relay.  Roles that the file leaves out keep what they have.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import AddressValueError, IPv4Address
from pathlib import Path
from typing import Any

from alpha_build.build.stamp import EdgeStamp
from alpha_build.system.errors import BuildFailure

End = tuple[int, int]  # IPv4 in host order, port


@dataclass(frozen=True)
class RoleAddress:
    """One role's entry."""

    address: int
    ports: Mapping[int, int] = field(default_factory=dict)  # by higher peer
    dial: Mapping[int, End] = field(default_factory=dict)  # by lower peer


def read_addresses(path: Path) -> dict[int, RoleAddress]:
    """Entries by role.

    Raises:
        BuildFailure: the file is missing, not JSON, or says something that is not an address.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise _failure(path, f"the file cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise _failure(path, f"not JSON: {error}") from None
    try:
        _only(data, {"roles"})
        return {_whole(role): _entry(entry) for role, entry in data["roles"].items()}
    except (KeyError, TypeError, AttributeError, ValueError, AddressValueError) as error:
        raise _failure(path, str(error) or type(error).__name__) from None


def bound_edges(
    role: int, edges: Sequence[EdgeStamp], addresses: Mapping[int, RoleAddress]
) -> tuple[EdgeStamp, ...]:
    """A role's edges with the addresses that concern it: its own to listen on, its peers' to dial."""
    return tuple(_bound(role, edge, addresses) for edge in edges)


def _bound(role: int, edge: EdgeStamp, addresses: Mapping[int, RoleAddress]) -> EdgeStamp:
    lower, higher = min(role, edge.peer), max(role, edge.peer)
    listens = addresses.get(lower)
    if listens is not None:
        port = listens.ports.get(higher, 0)
        edge = replace(
            edge, listen_address=listens.address, listen_port=port,
            dial_address=listens.address, dial_port=port,
        )  # fmt: skip
    dials = addresses.get(higher)
    if dials is not None and lower in dials.dial:
        address, port = dials.dial[lower]
        edge = replace(edge, dial_address=address, dial_port=port)
    return edge


def _entry(data: Mapping[str, Any]) -> RoleAddress:
    _only(data, {"address", "ports", "dial"})
    ports = {_whole(peer): _port(port) for peer, port in data.get("ports", {}).items()}
    fixed = [port for port in ports.values() if port != 0]
    if twice := sorted(port for port in set(fixed) if fixed.count(port) > 1):
        raise ValueError(f"port {twice[0]} is given to two edges of one role")
    dial = {_whole(peer): _end(end) for peer, end in data.get("dial", {}).items()}
    return RoleAddress(_address(data["address"]), ports, dial)


def _end(data: Mapping[str, Any]) -> End:
    _only(data, {"address", "port"})
    return _address(data["address"]), _port(data["port"])


def _address(value: Any) -> int:
    """Names are not looked up: a machine may take its own for its loopback, another for something else."""
    try:
        address = IPv4Address(value if isinstance(value, str) else "")
    except AddressValueError:
        raise ValueError(f"{value!r} is not an IPv4 address; names are not looked up here") from None
    if address.is_unspecified or address.is_multicast or address == IPv4Address("255.255.255.255"):
        raise ValueError(f"{value} is not the address of one machine; give the one that peers dial")
    return int(address)


def _only(data: Mapping[str, Any], keys: set[str]) -> None:
    unknown = set(data) - keys
    if unknown:
        raise ValueError(f"unknown key {min(unknown)!r}")


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit():
        raise ValueError(f"{text!r} is not a role")
    return int(text)


def _port(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 65535:
        raise ValueError(f"{value!r} is not a port")
    return value


def _failure(path: Path, message: str) -> BuildFailure:
    hint = 'write {"roles": {"0": {"address": "10.0.0.1", "ports": {"1": 4000}}, ...}}'
    return BuildFailure(message, kind="addresses", where=str(path), hint=hint)
