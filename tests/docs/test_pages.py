"""The documentation: the references are current, links lead somewhere, and every command shown runs."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PUBLIC_MODULES = (
    "alpha_build",
    *(f"alpha_build.{name}" for name in ("frame", "endpoint", "combine", "simulate")),
)
_NOT_HERE = ("pip ", "python3 -m venv")  # would install


def test_command_reference_is_current() -> None:
    written = runpy.run_path(str(ROOT / "tools" / "command_reference.py"))["text"]()
    assert (DOCS / "command-line.md").read_text() == written, "run: python tools/command_reference.py"


def test_python_reference_is_whole() -> None:
    """Each public name stands on the page once, and has a docstring to be shown there."""
    modules = [importlib.import_module(name) for name in PUBLIC_MODULES]
    public = [f"{module.__name__}.{name}" for module in modules for name in module.__all__]
    shown = re.findall(r"^::: (\S+)$", (DOCS / "reference.md").read_text(), re.MULTILINE)
    assert sorted(shown) == sorted([*public, *PUBLIC_MODULES[1:]])
    undocumented = [
        f"{module.__name__}.{name}"
        for module in modules
        for name in module.__all__
        if not isinstance(value := getattr(module, name), int)
        # Its own, no base's; what dataclass writes where there is none is the signature.
        and (value.__doc__ or f"{name}(").startswith(f"{name}(")
    ]
    assert undocumented == []


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda page: page.name)
def test_links(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page.name}: {target}"


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with alpha-build, python and an scp that copies here."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, line in (
        ("alpha-build", f'exec "{sys.executable}" -m alpha_build "$@"'),
        ("python", f'exec "{sys.executable}" "$@"'),
        ("scp", 'exec cp "$1" .'),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shared = Path(os.path.expanduser("~")) / ".cache" / "alpha-build"
    if shared.is_dir():  # what this machine compiled before, so that `cache clear` takes nobody's
        shutil.copytree(shared, tmp_path / "cache" / "alpha-build")
    work = tmp_path / "work"
    work.mkdir()
    return work


def _run(page: str, work: Path) -> str:
    """Write the page's files and run its shell blocks, one after the other in one shell."""
    script = ["set -e"]
    for language, block in _FENCE.findall((DOCS / page).read_text()):
        name = re.match(r"# (\S+\.py)\n", block)
        if language == "python" and name:
            (work / name[1]).write_text(block)
        if language == "sh":
            script += [line for line in block.splitlines() if not line.startswith(_NOT_HERE)]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    text = "\n".join([*script, "wait"])
    text = text.replace("10.0.0.1", "127.0.0.2").replace("10.0.0.2", "127.0.0.3").replace("4000", str(port))
    done = subprocess.run(
        ["sh", "-c", text],
        cwd=work,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout + done.stderr


@pytest.mark.gates
def test_tutorial(shell: Path) -> None:
    pytest.importorskip("jax")
    said = _run("tutorial.md", shell)
    assert len(set(re.findall(r"state ([0-9a-f]{64})", said))) == 1
    assert said.count("complete: 50 rounds") == 2


@pytest.mark.native
@pytest.mark.parametrize("page", ["building.md", "proof.md"])
def test_how_to(page: str, shell: Path) -> None:
    shutil.copy(ROOT / "examples" / "star.py", shell)
    _run(page, shell)


@pytest.mark.native
def test_projects(shell: Path) -> None:
    shutil.copy(ROOT / "examples" / "star.py", shell)
    shutil.copy(ROOT / "examples" / "star.py", shell / "system.py")
    (shell / "pyproject.toml").write_text('[tool.alpha-build]\nsystem = "system.py"\n')
    (shell / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\nproject(own LANGUAGES NONE)\n"
        "find_package(AlphaBuild REQUIRED)\nalpha_add_roles(star)\n"
    )
    _run("projects.md", shell)
    assert (shell / "build" / "star" / "star.role-2.x86_64").is_file()
    assert (shell / "star-build" / "star" / "star.role-2.x86_64").is_file()
