"""What an artifact or a whole build is, from the file alone."""

from __future__ import annotations

import hashlib
import json
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

from alpha_build.build.elf import read_artifact
from alpha_build.build.stamp import EdgeStamp, decode
from alpha_build.inspect_many import MANIFEST, inspect_folder, inspect_wheel
from alpha_build.run.artifacts import read_build
from alpha_build.system.errors import AlphaError, BuildFailure

FIRST = ("file", "name", "role", "class", "target", "device", "bytes", "sha256", "run", "learner", "contract")
ROLE_NOTE, MANIFEST_NOTE = 1, 2  # kinds of note in an executable


def inspect(path: Path) -> dict[str, Any]:
    """Facts for a program: of an executable, a manifest.json or its folder, a wheel, a folder of builds."""
    if path.suffix == ".whl":
        return inspect_wheel(path)
    if path.is_dir() and not (path / MANIFEST).exists() and any(path.rglob(MANIFEST)):
        return inspect_folder(path)
    if path.is_dir():
        path = path / "manifest.json"
    if path.name == "manifest.json":
        read_build(path.parent)  # one message for whatever is wrong with it
        manifest: dict[str, Any] = json.loads(path.read_bytes())
        try:
            text(manifest)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise AlphaError(
                f"the manifest cannot be used: {type(error).__name__}: {error}",
                kind="bad-manifest",
                where=str(path),
                hint="build again with alpha-build roles",
            ) from None
        return manifest
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AlphaError(
            f"the file cannot be read: {error.strerror}",
            kind="no-file",
            where=str(path),
            hint="give an executable, a manifest.json or the folder of a build",
        ) from None
    try:
        facts = _executable(path, data)
        text(facts)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise _not_ours(path, f"a note in the executable is malformed: {error}") from None
    except BuildFailure as error:
        raise _not_ours(path, error.message) from None
    return facts


def _not_ours(path: Path, why: str) -> BuildFailure:
    return BuildFailure(why, kind="artifact", where=str(path), hint="give a file made by alpha-build roles")


def text(facts: dict[str, Any]) -> str:
    """The facts for a person."""
    known = [key for key in FIRST if key in facts]
    keys = [*known, *sorted(facts.keys() - {*known, "roles", "edges", "builds", "samples"})]
    lines = [f"{key:<15} {_cell(facts[key])}" for key in keys]
    if facts.get("samples"):
        lines.append(f"{'samples':<15} {_beside(facts['samples'])}")
    for edge in facts.get("edges", ()):
        lines.append(f"{'edge':<15} {_edge_text(edge)}")
    for row in facts.get("roles", ()):
        peers = ", ".join(str(edge["peer"]) for edge in row["edges"]) or "none"
        lines.append(
            f"role {row['role']:<10} {row['target']}, {row['bytes']} bytes, peers {peers}, {row['file']}"
        )
        if row.get("samples"):
            lines.append(f"{'':<15} {_beside(row['samples'])}")
    for build in facts.get("builds", ()):
        lines += ["", text(build)]
    return "\n".join(lines)


def _executable(path: Path, data: bytes) -> dict[str, Any]:
    artifact = read_artifact(data)
    stamp = decode(artifact.stamp)
    notes = {note.kind: json.loads(note.data) for note in artifact.notes}
    head, role = notes.get(MANIFEST_NOTE, {}), notes.get(ROLE_NOTE, {})
    seconds = {name: value / 1e9 for name, value in vars(stamp.budgets).items()}
    return {
        "file": str(path),
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        **{key: value for key, value in head.items() if key != "roles"},
        **role,
        "target": artifact.target,
        "role": stamp.role,
        "run": stamp.run.hex(),
        "edges": [_edge(stamp.role, edge) for edge in stamp.edges],
        "budgets": {**seconds, "session": seconds["session"] or None},
        "stamp_bytes": stamp.size,
        "samples": dict(zip(("file", "bytes", "sha256"), stamp.samples, strict=True))
        if stamp.samples
        else None,
        **_linkage(data),
    }


def _edge(role: int, edge: EdgeStamp) -> dict[str, Any]:
    listens = role < edge.peer
    address, port = (
        (edge.listen_address, edge.listen_port) if listens else (edge.dial_address, edge.dial_port)
    )
    side = "lower" if listens else "higher"
    shared = {"shared": True} if edge.shared else {}
    return {"peer": edge.peer, "address": str(IPv4Address(address)), "port": port, "side": side, **shared}


def _linkage(data: bytes) -> dict[str, Any]:
    """Whether the program needs anything of the machine but its kernel."""
    import io

    from elftools.elf.elffile import ELFFile

    kinds = {segment.header.p_type for segment in ELFFile(io.BytesIO(data)).iter_segments()}
    return {"interpreter": "PT_INTERP" in kinds, "dynamic": "PT_DYNAMIC" in kinds}


def _beside(samples: dict[str, Any]) -> str:
    return f"{samples['file']} beside it, {samples['bytes']} bytes, SHA-256 {samples['sha256']}"


def _cell(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_cell, value))
    if isinstance(value, dict):
        return ", ".join(f"{key} {_cell(each)}" for key, each in value.items())
    if value is None or isinstance(value, bool):
        return {None: "none", False: "no", True: "yes"}[value]
    return f"{value:g}" if isinstance(value, float) else str(value)


def _edge_text(edge: dict[str, Any]) -> str:
    does = "listens for" if edge["side"] == "lower" else "dials"
    port = edge["port"] or "a port that the kernel picks"
    way = ", through shared memory" if edge.get("shared") else ""
    return f"{does} role {edge['peer']}: {edge['address']}, {port}{way}"
