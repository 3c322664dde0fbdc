"""CMake, Ninja and nvcc, from PATH or from their PyPI packages."""

from __future__ import annotations

import importlib
import importlib.util
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from alpha_build.build.toolchains import ask
from alpha_build.system.errors import BuildFailure

CMAKE_VERSION_MIN = (3, 24)
INSTALL = "pip install cmake ninja"


@dataclass(frozen=True)
class BuildTools:
    """CMake and Ninja, from PATH or from their PyPI packages."""

    cmake: Path
    ninja: Path
    identity: str


def find_build_tools() -> BuildTools:
    """CMake and Ninja.

    Raises:
        BuildFailure: one of them is missing; the message names the command that installs it.
    """
    cmake, version = find_cmake()
    ninja, ninja_version = find_ninja()
    for name, program in (("CMake 3.24 or later", cmake), ("Ninja", ninja)):
        if program is None:
            hint = f"install it with `{INSTALL}`"
            raise BuildFailure(f"no {name} on this machine", kind="no-build-tool", hint=hint)
    assert cmake is not None and ninja is not None
    return BuildTools(cmake, ninja, f"cmake {version}, ninja {ninja_version}")


def find_cmake() -> tuple[Path | None, str]:
    """CMake that is new enough, and its version."""
    return _first(_candidates("cmake", "CMAKE_BIN_DIR"), _cmake_version)


def find_ninja() -> tuple[Path | None, str]:
    """Ninja and its version."""
    return _first(_candidates("ninja", "BIN_DIR"), lambda program: ask(program, "--version"))


def find_nvcc() -> tuple[Path | None, str]:
    """CUDA's compiler, for toolchains/cuda-host.cmake, and its release ("13.0, V13.0.88")."""
    found = shutil.which("nvcc")
    programs = [Path(found)] if found else []
    package = importlib.util.find_spec("nvidia")  # nvidia-cuda-nvcc is nvidia/cu13, in no PATH
    for folder in (package and package.submodule_search_locations) or ():
        programs += sorted(Path(folder).glob("*/bin/nvcc"), reverse=True)
    return _first(programs, _nvcc_release)


def _candidates(name: str, folder_attribute: str) -> Iterator[Path]:
    found = shutil.which(name)
    if found:
        yield Path(found)
    if importlib.util.find_spec(name) is not None:
        folder = getattr(importlib.import_module(name), folder_attribute, None)
        if folder:
            yield Path(folder) / name


def _first(programs: Iterable[Path], version_of: Callable[[Path], str]) -> tuple[Path | None, str]:
    for program in programs:
        version = version_of(program)
        if version:
            return program, version
    return None, ""


def _cmake_version(program: Path) -> str:
    words = ask(program, "--version").split()
    version = words[2] if len(words) > 2 else ""
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    return version if numbers >= CMAKE_VERSION_MIN else ""


def _nvcc_release(program: Path) -> str:
    return ask(program, "--version").partition("release ")[2].partition("\n")[0]
