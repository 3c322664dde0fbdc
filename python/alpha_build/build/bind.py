"""Says where a built run is to be: rows, note and manifest are written anew, no compiler is needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from alpha_build.build import bill, manifest, output
from alpha_build.build.addresses import RoleAddress, bound_edges, read_addresses
from alpha_build.build.elf import Image, Note, read_artifact
from alpha_build.build.memory import shared_bytes
from alpha_build.build.stamp import EdgeStamp, decode, with_edges
from alpha_build.build.stamping import ENTRY_NOTE, EXECUTABLE
from alpha_build.build.stamps import LOOPBACK
from alpha_build.system.errors import BuildFailure


def bind(dist: Path, addresses_file: Path | None = None, *, shared: bool = False) -> dict[str, Any]:
    """Stamp the addresses of `addresses_file` (see addresses.py) into a build; returns the new manifest.

    With `shared` the edges within a host (both ends have one address, and no relay stands between) go through
    memory that both ends map, without it every edge goes over TCP, whatever it did before.

    Raises:
        BuildFailure: there is no build, the file cannot be used, or it names what is not there.
    """
    addresses = {} if addresses_file is None else read_addresses(addresses_file)
    with output.output_folder(dist) as folder:
        found = output.earlier_manifest(folder)
        if not found:
            raise BuildFailure(
                "there is no build here",
                kind="no-build",
                where=str(dist),
                hint="make one with alpha-build roles",
            )
        if addresses_file is not None:
            _check(addresses, found, addresses_file)
        hosts = Counter(_host(entry["role"], addresses) for entry in found["roles"])
        found["roles"] = [_rebind(folder, entry, addresses, hosts, shared) for entry in found["roles"]]
        output.replace(folder / manifest.FILE, [manifest.pretty(found)])
        bill.rewrite_digests(folder, found)
        return found


def _host(role: int, addresses: Mapping[int, RoleAddress]) -> int:
    """What tells hosts apart: the address that was given, or the build's own."""
    return addresses[role].address if role in addresses else LOOPBACK


def _shared(role: int, edge: EdgeStamp, addresses: Mapping[int, RoleAddress]) -> EdgeStamp:
    """The edge through memory, if its ends are where the lower one listens."""
    ends = {_host(role, addresses), _host(edge.peer, addresses), edge.listen_address, edge.dial_address}
    return replace(edge, shared=len(ends) == 1 and edge.listen_port == edge.dial_port)


def _rebind(
    folder: Path,
    entry: Mapping[str, Any],
    addresses: Mapping[int, RoleAddress],
    hosts: Mapping[int, int],
    shared: bool,
) -> dict[str, Any]:
    path = folder / entry["file"]
    data = path.read_bytes()
    artifact = read_artifact(data)
    head = decode(artifact.stamp)
    edges = bound_edges(head.role, [replace(edge, shared=False) for edge in head.edges], addresses)
    if shared:
        edges = tuple(_shared(head.role, edge, addresses) for edge in edges)
    memory = entry["memory_bytes"] + shared_bytes(edges) - shared_bytes(head.edges)
    samples = entry["samples"]
    note = manifest.entry_json(head.role, entry["class"], artifact.target, edges, memory, samples)
    others = [each for each in artifact.notes if each.kind != ENTRY_NOTE]
    notes = [Note(ENTRY_NOTE, manifest.compact(note)), *others]
    stamp = with_edges(artifact.stamp, edges, hosts[_host(head.role, addresses)])
    pieces, digest = Image(data).finish([stamp], notes)
    output.replace(path, pieces, EXECUTABLE)
    size = sum(map(len, pieces))
    return {**note, "file": entry["file"], "bytes": size, "sha256": digest}


def _check(addresses: Mapping[int, RoleAddress], found: Mapping[str, Any], file: Path) -> None:
    """A role or peer that is not there is a slip of the pen, not something to pass over."""
    peers = {
        entry["role"]: {edge["peer"]: edge["side"] for edge in entry["edges"]} for entry in found["roles"]
    }
    for role, entry in addresses.items():
        if role not in peers:
            raise _unknown(file, f"role {role} is not in this build")
        for peer in entry.ports:
            if peers[role].get(peer) != "lower":
                raise _unknown(file, f"role {role} does not listen for role {peer}")
        for peer in entry.dial:
            if peers[role].get(peer) != "higher":
                raise _unknown(file, f"role {role} does not dial role {peer}")
    _check_reached(addresses, found, file)


def _check_reached(addresses: Mapping[int, RoleAddress], found: Mapping[str, Any], file: Path) -> None:
    """Loopback leads to the machine that dials, which is right only where that is on loopback too."""
    dialling = [
        (entry["role"], edge)
        for entry in found["roles"]
        for edge in entry["edges"]
        if edge["side"] == "higher" and entry["role"] in addresses
    ]
    for role, edge in dialling:
        peer, entry = edge["peer"], addresses[role]
        here = IPv4Address(entry.address)
        there = IPv4Address(addresses[peer].address if peer in addresses else edge["address"])
        if peer in entry.dial or here.is_loopback or not there.is_loopback:
            continue
        message = f"role {role} at {here} would look for role {peer} on its own machine, at {there}"
        way = f'"dial": {{"{peer}": {{"address": ..., "port": ...}}}}'
        hint = f"give role {peer} the address of its machine, or role {role} another way to it, {way}"
        raise BuildFailure(message, kind="addresses", where=str(file), hint=hint)


def _unknown(file: Path, message: str) -> BuildFailure:
    hint = "see the edges in manifest.json: the lower role of an edge listens"
    return BuildFailure(message, kind="addresses", where=str(file), hint=hint)
