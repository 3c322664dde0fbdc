"""Compiles small C++ drivers from the runtime's sources: libraries for ctypes, freestanding executables."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

CPP = Path(__file__).resolve().parents[1] / "cpp"
FREESTANDING_ONLY = {"memory.cpp", "start.cpp"}
STRICT = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror", f"-I{CPP}"]
FREESTANDING = [
    "-ffreestanding", "-nostdlib", "-static", "-no-pie", "-fno-pie", "-fno-exceptions", "-fno-rtti",
    "-fno-stack-protector", "-fno-asynchronous-unwind-tables", "-fno-threadsafe-statics", "-fno-math-errno",
    "-ffp-contract=off", "-Wl,--build-id=none,-z,noseparate-code,-z,norelro",
]  # fmt: skip


@dataclass(frozen=True)
class Target:
    """A processor, the compiler that makes executables for it, and how they are started here."""

    name: str
    compiler: str
    flags: tuple[str, ...] = ()
    emulator: str | None = None

    def missing(self) -> str | None:
        tools = [self.compiler] + ([self.emulator] if self.emulator else [])
        return next((tool for tool in tools if not shutil.which(tool)), None)


_HERE = platform.machine()
X86_64 = Target(
    "x86_64",
    "g++" if _HERE == "x86_64" else "x86_64-linux-gnu-g++",
    ("-fcf-protection=none",),
    None if _HERE == "x86_64" else "qemu-x86_64-static",
)
AARCH64 = Target(
    "aarch64",
    "g++" if _HERE == "aarch64" else "aarch64-linux-gnu-g++",
    ("-mno-outline-atomics",),
    None if _HERE == "aarch64" else "qemu-aarch64-static",
)
# For fixtures: the machine's own processor, and the other one under an emulator.
TARGETS = [
    pytest.param(target, id=target.name, marks=pytest.mark.cross if target.emulator else pytest.mark.native)
    for target in (X86_64, AARCH64)
]
OWN_TARGETS = TARGETS[:1] if X86_64.emulator is None else TARGETS[1:]


def runtime_sources(*folders: str, hosted: bool = False) -> list[Path]:
    found = [path for folder in folders for path in sorted((CPP / folder).glob("*.cpp"))]
    return [path for path in found if not (hosted and path.name in FREESTANDING_ONLY)]


def compile_executable(target: Target, driver: Path, out: Path, *folders: str) -> list[str]:
    """A freestanding executable around `driver`'s alpha_main; returns the words that start it."""
    if tool := target.missing():
        pytest.skip(f"{tool} is not installed")
    sources = map(str, [driver, *runtime_sources(*folders)])
    flags = [*STRICT, *FREESTANDING, *target.flags]
    subprocess.run([target.compiler, *flags, *sources, "-o", str(out)], check=True)
    return [target.emulator, str(out)] if target.emulator else [str(out)]


def compile_library(driver: Path, out: Path, *folders: str) -> ctypes.CDLL:
    """A hosted shared library around `driver`'s C functions."""
    sources = [driver, *runtime_sources(*folders, hosted=True)]
    subprocess.run(["g++", *STRICT, "-shared", "-fPIC", *map(str, sources), "-o", str(out)], check=True)
    return ctypes.CDLL(str(out))
