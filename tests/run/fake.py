"""A build whose executables are small Python scripts, so that the launcher is tested without a compiler."""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

PRELUDE = """\
#!{python} -IS
import os, signal, socket, struct, sys, time
ROLE = {role}
def say(text):
    os.write(2, f"alpha-build: role {role}: {{text}}\\n".encode())
def announce(*ports):
    os.write(1, struct.pack(f">{{len(ports)}}H", *ports))
def hear(count):
    return struct.unpack(f">{{count}}H", sys.stdin.buffer.read(2 * count))
def die(number):
    os.kill(os.getpid(), number)
os.write(os.open({pids!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT), f"{{ROLE}} {{os.getpid()}}\\n".encode())
"""


def make_build(
    folder: Path,
    bodies: Sequence[str],
    edges: Sequence[tuple[int, int]] = (),
    budgets: dict[str, float] | None = None,
    target: str = platform.machine(),
) -> Path:
    """`bodies` are the roles' scripts, an edge is (lower, higher); process ids go to `folder/pids`."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for role, body in enumerate(bodies):
        prelude = PRELUDE.format(python=sys.executable, role=role, pids=str(folder / "pids"))
        path = folder / f"fake.role-{role}.{target}"
        path.write_text(prelude + body)
        path.chmod(0o755)
        ends = [(b, "lower") for a, b in edges if a == role] + [(a, "higher") for a, b in edges if b == role]
        rows.append(
            {
                "role": role,
                "class": 0,
                "target": target,
                "device": None,
                "file": path.name,
                "bytes": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "edges": [
                    {"peer": peer, "address": "127.0.0.1", "port": 0, "side": side}
                    for peer, side in sorted(ends)
                ],
                "memory_bytes": 0,
            }
        )
    manifest = {
        "format": 1,
        "name": "fake",
        "run": "ab" * 32,
        "learner": None,
        "frame_bytes": 1 << 20,
        "budgets": {"connect": 2, "accept": 2, "wait": 2, "frame": 1, "session": None, **(budgets or {})},
        "roles": rows,
    }
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def pids(folder: Path) -> dict[int, int]:
    """Process ids by role, of the roles that were started so far."""
    path = folder / "pids"
    lines = path.read_text().splitlines() if path.exists() else []
    return {int(role): int(pid) for role, pid in (line.split() for line in lines)}


def is_gone(pid: int) -> bool:
    """No such process, or one that is dead and only waits for its parent to notice."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat[stat.rindex(")") + 2] in "ZX"
