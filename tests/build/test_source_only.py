"""`roles --source-only`: what it writes builds without Python, and is the program that `roles` makes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from alpha_build.build.build import build
from alpha_build.build.elf import Image, read_artifact
from alpha_build.build.source_only import write_source_only
from build.systems import write_pair

pytestmark = pytest.mark.native


def _make(source: Path, tree: Path, forbidden: Path) -> None:
    """With plain CMake, where Python and alpha-build do not start."""
    forbidden.mkdir()
    for name in ("python", "python3", "alpha-build"):
        (forbidden / name).write_text("#!/bin/sh\nexit 66\n")
        (forbidden / name).chmod(0o755)
    environment = {"PATH": f"{forbidden}{os.pathsep}{os.environ['PATH']}"}
    for command in (("-S", source, "-B", tree, "-G", "Ninja"), ("--build", tree)):
        done = subprocess.run(
            ["cmake", *map(str, command)], env=environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


def test_without_python(tmp_path: Path) -> None:
    spec, source, tree = write_pair(tmp_path), tmp_path / "source β", tmp_path / "tree (1)"
    made = write_source_only(spec, source)
    assert not (source / "build").exists()
    _make(source, tree, tmp_path / "forbidden")
    executables = [tree / "pair" / f"pair.role-{role}.x86_64" for role in range(2)]
    assert sorted((tree / "pair").iterdir()) == executables

    build(spec, tmp_path / "dist")
    for each in made.classes:
        (role,) = each.roles
        expected = (tmp_path / "dist" / executables[role].name).read_bytes()
        artifact = read_artifact(expected)
        pieces, _ = Image((tree / "x86_64" / each.name).read_bytes()).finish([artifact.stamp], artifact.notes)
        assert b"".join(pieces) == expected
        assert read_artifact(executables[role].read_bytes()).stamp == artifact.stamp

    with subprocess.Popen([executables[0]], stdout=subprocess.PIPE) as first:
        assert first.stdout is not None
        second = subprocess.run([executables[1]], input=first.stdout.read(2), timeout=60, check=False)
    assert (first.returncode, second.returncode) == (0, 0)


def test_what_an_earlier_system_left_goes(tmp_path: Path) -> None:
    write_source_only(write_pair(tmp_path, target="aarch64"), tmp_path / "source")
    write_source_only(write_pair(tmp_path), tmp_path / "source")
    names = {path.name for path in (tmp_path / "source" / "roles").iterdir()}
    assert not [name for name in names if "aarch64" in name]
    assert {"pair.role-1.x86_64.stamp", "pair.role-1.x86_64.notes"} <= names
