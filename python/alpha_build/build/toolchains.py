"""Compilers for a target: the GNU pair or Zig, whichever is found, as CMake toolchain files.

What environment variables say (CC, CXX, CXXFLAGS, ...) is not read: nothing hidden alters an artifact.
"""

from __future__ import annotations

import importlib.util
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from alpha_build import paths
from alpha_build.system.errors import BuildFailure

TARGETS = ("x86_64", "aarch64")
GNU_VERSION_MIN = 11  # first with the C++20 that the runtime is written in

_GNU_NAMES = {
    "x86_64": ("x86_64-linux-gnu-g++", "g++"),
    "aarch64": ("aarch64-linux-gnu-g++", "g++"),
}
_DEBIAN_PACKAGES = {"x86_64": "g++-x86-64-linux-gnu", "aarch64": "g++-aarch64-linux-gnu"}


@dataclass(frozen=True)
class Toolchain:
    """One compiler for one target; `identity` is what it says of itself, for messages."""

    name: str  # "gnu-x86_64": also the toolchain file's and the CMake tree's name
    target: str
    compiler: Path  # g++, or the zig program
    identity: str
    programs: tuple[str, ...] = ()  # which files it consists of, and their state, for keys

    @property
    def key(self) -> tuple[object, ...]:
        """Equal only where the same source becomes the same code."""
        return self.name, self.identity, self.programs

    @property
    def file(self) -> Path:
        return paths.runtime() / "toolchains" / f"{self.name}.cmake"

    @property
    def cmake_arguments(self) -> tuple[str, ...]:
        variable = "ALPHA_ZIG" if self.name.startswith("zig") else "CMAKE_CXX_COMPILER"
        return (f"-DCMAKE_TOOLCHAIN_FILE={self.file.as_posix()}", f"-D{variable}={self.compiler.as_posix()}")


def find(target: str, family: str | None = None) -> Toolchain:
    """The compiler for a target: GNU first, else Zig; with `family` ("gnu" or "zig") only that one.

    Raises:
        BuildFailure: there is none; the message names the command that installs it.
    """
    finders = {"gnu": find_gnu, "zig": find_zig}
    for name, finder in finders.items():
        toolchain = finder(target) if family in (None, name) else None
        if toolchain is not None:
            return toolchain
    commands = {"gnu": f"`{install_command(target)}`", "zig": "`pip install 'alpha-build[zig]'`"}
    raise BuildFailure(
        f"no {family + ' ' if family else ''}compiler for {target} on this machine",
        kind="no-compiler",
        hint=f"install one with {' or '.join(commands[name] for name in finders if family in (None, name))}",
    )


def available(target: str) -> tuple[Toolchain, ...]:
    """Every toolchain of a target that is found, in the order of preference."""
    found = (find_gnu(target), find_zig(target))
    return tuple(toolchain for toolchain in found if toolchain is not None)


def find_gnu(target: str) -> Toolchain | None:
    for name in _GNU_NAMES[target]:
        program = shutil.which(name)
        if program is None:
            continue
        machine, version = ask(program, "-dumpmachine"), ask(program, "-dumpfullversion")
        if machine.startswith(f"{target}-linux") and _major(version) >= GNU_VERSION_MIN:
            identity = f"g++ {version} {machine}"
            return Toolchain(f"gnu-{target}", target, Path(program), identity, _gnu_programs(program))
    return None


def find_zig(target: str) -> Toolchain | None:
    program = _zig_program()
    if program is None:
        return None
    version = ask(program, "version")
    if not version:
        return None
    return Toolchain(f"zig-{target}", target, program, f"zig {version}", (_file_state(program),))


def install_command(target: str) -> str:
    """The Debian command that brings g++ for a target."""
    package = "g++" if host_target() == target else _DEBIAN_PACKAGES[target]
    return f"apt-get install {package}"


def host_target() -> str:
    """This machine's instruction set, as targets name it."""
    machine = platform.machine()
    return {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def _zig_program() -> Path | None:
    package = importlib.util.find_spec("ziglang")
    if package is not None and package.origin is not None:
        program = Path(package.origin).parent / "zig"
        if program.is_file():
            return program
    found = shutil.which("zig")
    return Path(found) if found else None


def ask(program: str | Path, *options: str) -> str:
    """What a tool prints of itself; empty when it does not run."""
    try:
        answer = subprocess.run(
            [str(program), *options], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.strip() if answer.returncode == 0 else ""


def _gnu_programs(driver: str) -> tuple[str, ...]:
    """The driver, and the programs behind it, which may change without it (beneath ccache, say)."""
    parts = (ask(driver, f"-print-prog-name={part}") for part in ("cc1plus", "as", "ld"))
    return tuple(_file_state(program) for program in (driver, *parts))


def _file_state(program: str | Path) -> str:
    """Place, size and time of a program's file; a bare name is looked for on PATH."""
    found = shutil.which(program)
    if found is None:
        return str(program)
    path = Path(found).resolve()
    state = path.stat()
    return f"{path} {state.st_size} {state.st_mtime_ns}"


def _major(version: str) -> int:
    head = version.split(".", 1)[0]
    return int(head) if head.isdigit() else 0
