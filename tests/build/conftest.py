"""Builds that the tests share, and a compiler that keeps count."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

COMPILERS = {"x86_64": "x86_64-linux-gnu-g++", "aarch64": "aarch64-linux-gnu-g++"}


@dataclass(frozen=True)
class CompilerCount:
    """Wrappers before the compilers on PATH that write down each file they compile or link."""

    folder: Path

    def take(self) -> list[str]:
        """Names compiled or linked since the last call."""
        lines = []
        for path in sorted(self.folder.glob("*.calls")):
            lines += path.read_text().split()
            path.unlink()
        return lines


@pytest.fixture
def compiler_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CompilerCount:
    folder = tmp_path / "wrapped"
    folder.mkdir()
    for name in COMPILERS.values():
        compiler = shutil.which(name)
        if compiler is None:
            pytest.skip(f"{name} is not installed")
        wrapper = folder / name
        wrapper.write_text(
            "#!/bin/sh\n"
            'for word; do case "$previous" in -o) '
            f'echo "$(basename "$word")" >> "{folder}/$$.calls";; esac; previous="$word"; done\n'
            f'exec {compiler} "$@"\n'
        )
        wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return CompilerCount(folder)


@pytest.fixture(scope="session", autouse=True)
def _native_compiler() -> None:
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
