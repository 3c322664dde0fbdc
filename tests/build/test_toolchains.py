"""Toolchains: which is found, what nothing in the environment changes, and builds by every one of them."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build import toolchains
from alpha_build.build.build import build
from alpha_build.build.elf import read_artifact
from alpha_build.build.process import clean_environment
from alpha_build.gates.systems import fit
from alpha_build.inspect import inspect
from alpha_build.run import run_build
from alpha_build.run.artifacts import find_emulator
from alpha_build.system.errors import BuildFailure
from build.systems import write_pair


def _fake(folder: Path, name: str, machine: str, version: str) -> Path:
    path = folder / name
    path.write_text(f'#!/bin/sh\ncase "$1" in -dumpmachine) echo {machine};; *) echo {version};; esac\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def only_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder that is the whole PATH; no Zig."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(toolchains, "_zig_program", lambda: None)
    return folder


def test_compiler_of_another_machine_is_passed_over(only_here: Path) -> None:
    _fake(only_here, "g++", "aarch64-linux-gnu", "12.2.0")
    assert toolchains.find_gnu("x86_64") is None
    found = toolchains.find("aarch64")
    assert (found.name, found.compiler) == ("gnu-aarch64", only_here / "g++")


def test_the_target_s_own_name_comes_first(only_here: Path) -> None:
    _fake(only_here, "g++", "x86_64-linux-gnu", "12.2.0")
    own = _fake(only_here, "x86_64-linux-gnu-g++", "x86_64-linux-gnu", "13.1.0")
    assert toolchains.find("x86_64").compiler == own


def test_old_compiler_is_passed_over(only_here: Path) -> None:
    _fake(only_here, "g++", "x86_64-linux-gnu", "10.2.1")
    assert toolchains.find_gnu("x86_64") is None


def test_key_covers_the_programs_behind_the_driver(only_here: Path) -> None:
    """A compiler proper, assembler or linker that is exchanged makes another compiler of it."""
    driver = only_here / "g++"
    driver.write_text(
        '#!/bin/sh\ncase "$1" in -dumpmachine) echo x86_64-linux-gnu;; -print-prog-name=*) '
        f'echo "{only_here}/${{1#*=}}";; *) echo 13.1.0;; esac\n'
    )
    driver.chmod(0o755)
    parts = [only_here / name for name in ("cc1plus", "as", "ld")]
    for part in parts:
        part.write_text("1")
        part.chmod(0o755)
    keys = set()
    for changed in (None, driver, *parts):
        if changed is not None:
            os.utime(changed, ns=(0, len(keys)))
        found = toolchains.find_gnu("x86_64")
        assert found is not None
        keys.add(found.key)
    assert len(keys) == 5
    assert toolchains.find_gnu("x86_64") == found


@pytest.mark.parametrize("target", toolchains.TARGETS)
def test_missing_names_the_command(target: str, only_here: Path) -> None:
    with pytest.raises(BuildFailure) as failure:
        toolchains.find(target)
    package = "g++" if platform.machine() == target else f"g++-{target.replace('_', '-')}-linux-gnu"
    assert f"`apt-get install {package}`" in str(failure.value)
    assert "`pip install 'alpha-build[zig]'`" in str(failure.value)
    with pytest.raises(BuildFailure) as failure:
        toolchains.find(target, "zig")
    assert "alpha-build[zig]" in str(failure.value) and "apt-get" not in str(failure.value)


@pytest.mark.parametrize("target", toolchains.TARGETS)
@pytest.mark.parametrize("family", ["gnu", "zig"])
def test_toolchain_file_is_there(family: str, target: str) -> None:
    assert toolchains.Toolchain(f"{family}-{target}", target, Path("c++"), "").file.is_file()


def test_environment_is_clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CC", "CXX", "CXXFLAGS", "CPATH", "LDFLAGS", "CMAKE_GENERATOR", "CMAKE_TOOLCHAIN_FILE"):
        monkeypatch.setenv(name, "broken")
    assert "broken" not in clean_environment(tmp_path).values()


def _families() -> list[str]:
    return [
        family
        for family, find in (("gnu", toolchains.find_gnu), ("zig", toolchains.find_zig))
        if all(find(target) for target in toolchains.TARGETS)
    ]


def _targets(dist: Path) -> list[str]:
    entries = json.loads((dist / "manifest.json").read_text())["roles"]
    targets = [str(entry["target"]) for entry in entries]
    assert targets == [read_artifact((dist / entry["file"]).read_bytes()).target for entry in entries]
    assert all(entry["bytes"] < 64 << 10 for entry in entries)
    for entry in entries:  # of no machine's libraries, old or new
        facts = inspect(dist / entry["file"])
        assert not facts["interpreter"] and not facts["dynamic"]
    return targets


def _run_in_an_empty_root(dist: Path, root: Path) -> None:
    """Both roles complete where nothing lies but them, /dev/null and an emulator that is static too."""
    (root / "dev").mkdir(parents=True)
    (root / "dev" / "null").touch()
    commands = []
    for entry in json.loads((dist / "manifest.json").read_text())["roles"]:
        command = ["chroot", str(root)]
        if entry["target"] != toolchains.host_target():
            emulator = find_emulator(entry["target"])
            if emulator is None or not emulator.endswith("-static"):
                return
            shutil.copy(emulator, root)
            command.append(f"/{Path(emulator).name}")
        shutil.copy(dist / entry["file"], root)
        commands.append([*command, f"/{entry['file']}"])
    with subprocess.Popen(commands[0], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as lower:
        try:
            assert lower.stdout is not None
            higher = subprocess.run(commands[1], input=lower.stdout.read(2), capture_output=True, timeout=60)
            assert higher.returncode == 0, higher.stderr
            assert lower.wait(60) == 0
        finally:
            lower.kill()


@pytest.mark.cross
@pytest.mark.skipif(len(_families()) == 0, reason="no toolchain for both targets")
def test_target_switched_in_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There and back, with broken variables, and with a Ninja that is gone the second time."""
    for name in ("CXX", "CXXFLAGS", "CMAKE_GENERATOR"):
        monkeypatch.setenv(name, "broken")
    environment = tmp_path / "environment"
    environment.mkdir()
    ninja = shutil.which("ninja")
    assert ninja is not None
    (environment / "ninja").symlink_to(ninja)
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{environment}{os.pathsep}{path}")
    out = tmp_path / "dist"
    build(write_pair(tmp_path), out)
    first = (out / "pair.role-1.x86_64").read_bytes()
    build(write_pair(tmp_path, target="aarch64"), out)
    assert _targets(out) == ["x86_64", "aarch64"]
    assert not (out / "pair.role-1.x86_64").exists()
    if os.getuid() == 0:
        _run_in_an_empty_root(out, tmp_path / "root")
    shutil.rmtree(environment)
    monkeypatch.setenv("PATH", path)
    build(write_pair(tmp_path), out)
    assert _targets(out) == ["x86_64", "x86_64"]
    assert (out / "pair.role-1.x86_64").read_bytes() == first


def _run(dist: Path) -> set[str | None]:
    """State hashes of all owners."""
    outcome = run_build(dist)
    assert outcome.ok, outcome.cause
    return {end.state for end in outcome.ends}


@pytest.mark.cross
@pytest.mark.slow
@pytest.mark.skipif(len(_families()) < 2, reason="GNU and Zig for both targets are not installed")
def test_toolchains_interoperate(tmp_path: Path) -> None:
    """One run of a learner with a role of each of the four: the bits of GNU's alone, and of Zig's."""
    pytest.importorskip("jax")
    if shutil.which("qemu-aarch64-static") is None:
        pytest.skip("qemu-aarch64-static is not installed")
    spec = tmp_path / "fit.py"
    spec.write_text(fit(pairing='{1: ab.Target("aarch64"), 3: ab.Target("aarch64")}'))
    rows: list[dict[str, Any]] = []
    for family in ("gnu", "zig"):
        head = build(str(spec), tmp_path / family, toolchain=family).as_json()
        rows += head["roles"][:2] if family == "gnu" else head["roles"][2:]
    mixed = tmp_path / "mixed"
    mixed.mkdir()
    for row, family in zip(rows, ("gnu", "gnu", "zig", "zig"), strict=True):
        shutil.copy(tmp_path / family / row["file"], mixed)
    (mixed / "manifest.json").write_text(json.dumps({**head, "roles": rows}))
    assert [row["target"] for row in rows] == ["x86_64", "aarch64", "x86_64", "aarch64"]
    states = _run(tmp_path / "gnu")
    assert len(states) == 1 and None not in states
    assert _run(tmp_path / "zig") == _run(mixed) == states
