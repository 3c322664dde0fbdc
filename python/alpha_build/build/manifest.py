"""`dist/manifest.json`: what was built, for programs; each entry also travels in its executable's note."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from alpha_build.build.stamp import EdgeStamp, SampleFile
    from alpha_build.projector.check import Checked

FORMAT = 1
FILE = "manifest.json"
SAVED_LEARNER = "learner.cbor"  # beside it, of a system that learns


def learner_source(target: str) -> str:
    """In `src`: the generated file of a learner's programs, which all classes of a target link."""
    return f"learner-{target}.cpp"


@dataclass(frozen=True)
class Entry:
    """One role's artifact; `memory_bytes` bounds what it maps and loads."""

    role: int
    class_name: str
    target: str
    file: str
    bytes: int
    sha256: str
    edges: tuple[EdgeStamp, ...]
    memory_bytes: int
    samples: Mapping[str, Any] | None = None  # file, bytes and sha256 of what lies beside the executable

    def as_json(self) -> dict[str, Any]:
        file = {"file": self.file, "bytes": self.bytes, "sha256": self.sha256}
        memory, samples = self.memory_bytes, self.samples
        return {**entry_json(self.role, self.class_name, self.target, self.edges, memory, samples), **file}


@dataclass(frozen=True)
class Manifest:
    """`head` is all but `roles`; `notices` are lines for the user, not part of the file."""

    head: Mapping[str, Any]
    entries: tuple[Entry, ...]
    notices: tuple[str, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        return str(self.head["name"])

    def as_json(self) -> dict[str, Any]:
        return {**self.head, "roles": [entry.as_json() for entry in self.entries]}


def entry_json(
    role: int,
    class_name: str,
    target: str,
    edges: tuple[EdgeStamp, ...],
    memory_bytes: int | None,
    samples: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """An entry without what names the file itself: what the executable's note holds.

    `memory_bytes` is None where the size of the code is not known yet.
    """
    return {
        "role": role,
        "class": class_name,
        "target": target,
        "device": None,
        "edges": [_edge_json(role, edge) for edge in edges],
        "memory_bytes": memory_bytes,
        "samples": samples,
    }


def samples_json(file: SampleFile | None) -> dict[str, Any] | None:
    """What a manifest says of the samples beside an executable."""
    return None if file is None else {"file": file.name, "bytes": len(file.data), "sha256": file.sha256}


def files(entries: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """What a manifest says of each file: executables, then the samples beside them."""
    yield from entries
    yield from (entry["samples"] for entry in entries if entry["samples"] is not None)


def head_json(checked: Checked) -> dict[str, Any]:
    """What holds for the whole run."""
    identity, budgets = checked.identity, checked.system.budgets
    return {
        "format": FORMAT,
        "name": checked.system.name,
        "run": identity.run.hex(),
        "learner": _hex(identity.learner),
        "contract": identity.contract.hex(),
        "membership": identity.membership.hex(),
        "protocol": identity.protocol.hex(),
        "state_identity": _hex(identity.state),
        "frame_bytes": int(checked.system.frame_bytes),
        "budgets": {
            name: getattr(budgets, name) for name in ("connect", "accept", "wait", "frame", "session")
        },
    }


def compact(value: Mapping[str, Any]) -> bytes:
    """Canonical JSON on one line, for a note."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def pretty(value: Mapping[str, Any]) -> bytes:
    """Canonical JSON that a person can read: keys sorted, one entry of `roles` a line."""
    head = {key: part for key, part in value.items() if key != "roles"}
    lines = [
        f" {json.dumps(key)}: {compact({'_': part})[5:-1].decode()}" for key, part in sorted(head.items())
    ]
    roles = ",\n  ".join(compact(role).decode() for role in value["roles"])
    lines.append(f' "roles": [\n  {roles}\n ]')
    return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def _edge_json(role: int, edge: EdgeStamp) -> dict[str, Any]:
    lower = role < edge.peer
    address, port = (edge.listen_address, edge.listen_port) if lower else (edge.dial_address, edge.dial_port)
    return {
        "peer": edge.peer,
        "address": _address(address),
        "port": port,
        "side": "lower" if lower else "higher",
        **({"shared": True} if edge.shared else {}),
    }


@lru_cache
def _address(host_order: int) -> str:
    return str(IPv4Address(host_order))


def _hex(digest: bytes | None) -> str | None:
    return None if digest is None else digest.hex()
