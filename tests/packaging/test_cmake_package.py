"""find_package(AlphaBuild) and alpha_add_roles in a plain CMake project: what is made again, and when."""

from __future__ import annotations

import compileall
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from alpha_build import paths
from build.systems import write_pair

pytestmark = pytest.mark.native
CHECKOUT = Path(__file__).resolve().parents[2]

LISTS = """\
cmake_minimum_required(VERSION 3.24)
project(plain LANGUAGES NONE)
find_package(AlphaBuild 0.1 REQUIRED)
alpha_add_roles(pair {arguments})
"""


def _cmake(*arguments: object) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CXX": "broken", "CXXFLAGS": "-broken"}
    return subprocess.run(
        ["cmake", *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=120
    )


def _ok(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


def _configure(source: Path, tree: Path, generator: str, *more: str) -> subprocess.CompletedProcess[str]:
    settings = (f"-DAlphaBuild_DIR={paths.cmake()}", f"-DPython_EXECUTABLE={sys.executable}", *more)
    return _cmake("-S", source, "-B", tree, "-G", generator, *settings)


def _project(source: Path, arguments: str) -> None:
    source.mkdir(parents=True)
    write_pair(source, factor="{data.FACTOR}")
    system = (source / "pair.py").read_text()
    system = system.replace("preamble='''", "preamble=f'''").replace("{ return {data", "{{ return {data")
    system = system.replace("; }'''", "; }}'''")
    (source / "pair.py").write_text(f"import data\n{system}")
    (source / "data.py").write_text(
        "from pathlib import Path\nFACTOR = Path(__file__).with_name('factor.txt').read_text()\n"
    )
    (source / "factor.txt").write_text("2.0f")
    (source / "CMakeLists.txt").write_text(LISTS.format(arguments=arguments))


def _made(tree: Path) -> str:
    manifest = json.loads((tree / "pair" / "manifest.json").read_text())
    return " ".join(entry["sha256"] for entry in manifest["roles"])


@pytest.mark.parametrize("generator", ["Ninja", "Unix Makefiles"])
def test_made_again_when_something_read_has_changed(generator: str, tmp_path: Path) -> None:
    if generator == "Unix Makefiles" and shutil.which("make") is None:
        pytest.skip("make is not installed")
    source, tree = tmp_path / "α b" / "proj (1)", tmp_path / "tree β"
    _project(source, "SYSTEM pair.py:system INSTALL roles/here TOOLCHAIN gnu")
    _ok(_configure(source, tree, generator))
    compileall.compile_dir(source, quiet=2)  # with bytecode there, Python opens no source
    written = set(source.rglob("*"))
    _ok(_cmake("--build", tree))
    first = _made(tree)
    time_ns = (tree / "pair" / "manifest.json").stat().st_mtime_ns
    _ok(_cmake("--build", tree))
    assert (tree / "pair" / "manifest.json").stat().st_mtime_ns == time_ns

    (source / "factor.txt").write_text("3.0f")
    _ok(_cmake("--build", tree))
    second = _made(tree)
    assert second != first
    (source / "data.py").write_text("FACTOR = '2.0f'\n")
    _ok(_cmake("--build", tree))
    assert _made(tree) == first
    assert set(source.rglob("*")) == written

    _ok(_cmake("--install", tree, "--prefix", tmp_path / "there"))
    installed = sorted(path for path in (tmp_path / "there").rglob("*") if path.is_file())
    assert [path.name for path in installed if "role" in path.name] == [
        "pair.role-0.x86_64",
        "pair.role-1.x86_64",
    ]
    assert all(os.access(path, os.X_OK) for path in installed if "role" in path.name)
    assert {path.parent for path in installed} == {tmp_path / "there" / "roles" / "here"}


def test_pyproject_names_the_system(tmp_path: Path) -> None:
    source, tree = tmp_path / "source", tmp_path / "tree"
    _project(source, "")
    (source / "pyproject.toml").write_text('[tool.alpha-build]\nsystem = "pair.py"\n')
    _ok(_configure(source, tree, "Ninja"))
    _ok(_cmake("--build", tree))
    assert str(source / "pyproject.toml") in (tree / "pair.d").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("SYSTEM missing.py", "no system file"),
        ("pair.py", "what is 'pair.py'"),
        ("SYSTEM", "what is 'SYSTEM'"),
    ],
)
def test_refused(arguments: str, message: str, tmp_path: Path) -> None:
    _project(tmp_path / "source", arguments)
    done = _configure(tmp_path / "source", tmp_path / "tree", "Ninja")
    assert done.returncode != 0 and message in done.stderr


def test_versions_that_are_answered(tmp_path: Path) -> None:
    answers = {"0.1": True, "0.1.0": True, "0.1.0 EXACT": True, "0.1...0.2": True, "0.0.5...0.1.0": True}
    answers |= {"0.2": False, "1.0": False, "0.0": False, "0.1.1": False, "0.1 EXACT": True}
    answers |= {"0.2...0.3": False, "0.0...<0.1.0": False}
    lists = ["cmake_minimum_required(VERSION 3.24)", "project(ask LANGUAGES NONE)"]
    for version in answers:
        lists += [
            f'find_package(AlphaBuild {version} QUIET PATHS "{paths.cmake()}" NO_DEFAULT_PATH)',
            f'message(STATUS "asked {version}: ${{AlphaBuild_FOUND}} ${{AlphaBuild_VERSION}}")',
        ]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lists))
    said = _ok(_cmake("-S", tmp_path, "-B", tmp_path / "tree"))
    lines = re.findall(r"asked (.*): (\d) ?(.*)", said)
    assert {version: found == "1" for version, found, _ in lines} == answers
    own = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["version"]
    assert {found for _, yes, found in lines if yes == "1"} == {own}


def test_a_python_without_alpha_build_is_passed_over(tmp_path: Path) -> None:
    """The one that is found next is taken, or the message says what to give."""
    _project(tmp_path / "source", "SYSTEM pair.py")
    fake = tmp_path / "python"
    fake.write_text("#!/bin/sh\nexit 1\n")
    fake.chmod(0o755)
    done = _configure(tmp_path / "source", tmp_path / "tree", "Ninja", f"-DPython_EXECUTABLE={fake}")
    assert done.returncode == 0 or "-DPython_EXECUTABLE" in done.stderr
    cached = (tmp_path / "tree" / "CMakeCache.txt").read_text().splitlines()
    assert f"AlphaBuild_PYTHON:FILEPATH={fake}" not in cached
