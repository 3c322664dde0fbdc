"""The documentation: the references are current, links lead somewhere, and every command shown runs."""

from __future__ import annotations

import importlib
import os
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from alpha_build.cli import commands

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PUBLIC_MODULES = (
    "alpha_build",
    *(f"alpha_build.{name}" for name in ("frame", "endpoint", "combine", "simulate")),
)
PAGES = [
    *sorted(DOCS.glob("*.md")),
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("examples/**/*.md")),
]
HOW_TO = ("building.md", "proof.md")
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


def _shown_commands(page: Path) -> list[str]:
    """Commands in blocks, and in the text between backticks; a usage line, which is generated, is none."""
    text = page.read_text()
    lines = [
        line.strip() for block in _FENCE.findall(text) if block[0] == "sh" for line in block[1].splitlines()
    ]
    lines += re.findall(r"^ {4}(\S.*)$", text, re.MULTILINE)
    lines += [" ".join(each.split()) for each in re.findall(r"`([^`]+)`", _FENCE.sub("", text))]
    return [line for line in lines if re.match(r"(alpha-build [a-z-]|make |pip install )", line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_are_as_they_are_shown(page: Path) -> None:
    """Commands, options, targets of make and extras exist, also where a page only mentions them."""
    for line in _shown_commands(page):
        program, *arguments = shlex.split(line.split(" && ")[0].split(" || ")[0].rstrip("&; "), comments=True)
        if program == "alpha-build" and arguments and "[OPTIONS]" not in arguments:
            command: click.Command = commands
            while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
                assert arguments[0] in command.commands, f"{page.name}: {line}"
                command = command.commands[arguments.pop(0)]
            try:
                command.make_context(command.name, ["1" if each == "R" else each for each in arguments])
            except click.MissingParameter:  # a command that is spoken of
                assert not arguments, f"{page.name}: {line}"
            except click.exceptions.Exit:  # --help, --cmake-dir
                pass
        elif program == "make":
            targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
            assert set(arguments) <= targets, f"{page.name}: {line}"
        elif program == "pip":
            asked = re.findall(r"\[([a-z,]+)\]", line)
            assert {extra for each in asked for extra in each.split(",")} <= set(_extras()), (
                f"{page.name}: {line}"
            )


def _extras() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return list(project["optional-dependencies"])


def test_every_page_with_a_shell_block_is_run() -> None:
    assert {page.name for page in PAGES if "```sh\n" in page.read_text()} == {
        "tutorial.md",
        *HOW_TO,
        "projects.md",
    }


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
@pytest.mark.parametrize("page", HOW_TO)
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
