"""pip as tests use it, without an index or isolation, and sources that nothing may be written to."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def pip(*arguments: str, **environment: str) -> None:
    """The build's requirements are in this environment."""
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--no-deps", "--no-build-isolation", "--no-index"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]


def check_wheel(wheel: Path, folder: Path) -> None:
    """What an index asks of its description, and what installers want of its content."""
    pytest.importorskip("twine")
    pytest.importorskip("check_wheel_contents")
    assert "PASSED" in tool(folder, "twine", "check", "--strict", wheel)
    assert wheel.name in tool(folder, "check_wheel_contents", wheel)


def tool(folder: Path, module: str, *arguments: object) -> str:
    """What a Python tool prints; `folder` holds no settings of it."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@contextmanager
def read_only(source: Path) -> Iterator[None]:
    """The folder without write permission; what root may write all the same is found by its time."""
    paths = [source, *source.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~_WRITE)
    before = {path: path.stat().st_mtime_ns for path in paths}
    try:
        yield
        assert {path: path.stat().st_mtime_ns for path in [source, *source.rglob("*")]} == before
    finally:
        for path in paths:
            path.chmod(path.stat().st_mode | stat.S_IWUSR)
