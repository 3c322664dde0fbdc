"""CUDA sources by toolchains/cuda-host.cmake as PTX, and what their floating-point instructions say."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from alpha_build.build.tools import find_build_tools, find_nvcc
from native import CPP

ARCHITECTURES = ("80", "90")
_LISTS = """\
cmake_minimum_required(VERSION 3.25)
project(ptx LANGUAGES CUDA)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
foreach(architecture ${CMAKE_CUDA_ARCHITECTURES})
  add_library(ptx-${architecture} OBJECT ${SOURCES})
  target_include_directories(ptx-${architecture} PRIVATE "${CPP}")
  target_compile_options(ptx-${architecture} PRIVATE -std=c++20)  # some CMakes know of no such CUDA
  set_target_properties(ptx-${architecture} PROPERTIES CUDA_PTX_COMPILATION ON
    CUDA_ARCHITECTURES "${architecture}-virtual")
endforeach()
"""
_ARITHMETIC = re.compile(
    r"\b(?:add|sub|mul|div|fma|mad|sqrt|rsqrt|rcp|ex2|lg2|sin|cos|tanh|cvt)\.[a-z0-9_.]*f(?:16|32|64)[a-z0-9_.]*"
)


def compiled(sources: Sequence[Path], folder: Path) -> Path:
    """The CMake tree with each source's PTX for each architecture of the toolchain file."""
    nvcc, _ = find_nvcc()
    if nvcc is None:
        pytest.skip("nvcc is not installed: CUDA sources are checked as C++ only")
    (folder / "CMakeLists.txt").write_text(_LISTS)
    tools = find_build_tools()
    for arguments in (
        ["-S", folder, "-B", folder / "tree", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}",
         f"-DCMAKE_TOOLCHAIN_FILE={CPP.parent / 'toolchains' / 'cuda-host.cmake'}",
         f"-DCMAKE_CUDA_COMPILER={nvcc}", f"-DCPP={CPP}", f"-DSOURCES={';'.join(map(str, sources))}"],
        ["--build", folder / "tree"],
    ):  # fmt: skip
        done = subprocess.run([tools.cmake, *arguments], capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return folder / "tree"


def texts(tree: Path, architecture: str) -> list[str]:
    return [path.read_text() for path in (tree / "CMakeFiles" / f"ptx-{architecture}.dir").rglob("*.ptx")]


def floating(ptx: str) -> list[str]:
    """Each floating-point arithmetic instruction of a PTX text, conversions included."""
    return _ARITHMETIC.findall(ptx)


def is_declared(instruction: str, *, fused: bool = False) -> bool:
    """Rounded to nearest, neither approximate nor flushing, and fused only where that is what was written;
    to integers cut, and widened exactly."""
    if re.search(r"\.ftz|\.approx|^mad", instruction) or (instruction.startswith("fma") and not fused):
        return False
    return ".rn." in instruction or bool(re.match(r"cvt\.(rzi\.[su]\d+\.f\d+|f64\.f32)$", instruction))
