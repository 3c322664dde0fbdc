"""Built runs that the gates share: each system is built once a session."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@dataclass(frozen=True)
class Dist:
    path: Path
    manifest: dict[str, Any]

    def artifact(self, role: int) -> Path:
        (row,) = [row for row in self.manifest["roles"] if row["role"] == role]
        return self.path / str(row["file"])


def alpha_build(*arguments: object, timeout_s: float = 120) -> subprocess.CompletedProcess[str]:
    """The command line as a user runs it."""
    return subprocess.run(
        [sys.executable, "-m", "alpha_build", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=timeout_s,
    )


def build(system: Path, out: Path) -> Dist:
    done = alpha_build("roles", system, "--out", out)
    assert done.returncode == 0, done.stderr
    return Dist(out, json.loads((out / "manifest.json").read_text()))


@pytest.fixture(scope="session")
def relay_dist(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    return build(EXAMPLES / "relay.py", tmp_path_factory.mktemp("relay") / "dist")
