"""The command line as a user runs it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


def alpha_build(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "alpha_build", *map(str, arguments)]
    return subprocess.run(argv, capture_output=True, text=True, cwd=cwd, timeout=60)


def one_message(done: subprocess.CompletedProcess[str], status: int = 1) -> str:
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("alpha-build: ")
    return done.stderr
