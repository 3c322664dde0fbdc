"""cpp/combine.cu by toolchains/cuda-host.cmake: it compiles, and its PTX rounds as declared and no more.

Nothing here runs on a GPU; the bits of the same source as C++ are test_combine's.
"""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from alpha_build.build.tools import find_build_tools, find_nvcc
from native import CPP

pytestmark = pytest.mark.native

LISTS = """\
cmake_minimum_required(VERSION 3.25)
project(combine LANGUAGES CUDA)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
foreach(architecture ${CMAKE_CUDA_ARCHITECTURES})
  add_library(ptx-${architecture} OBJECT "${CPP}/combine.cu" probe.cu)
  target_include_directories(ptx-${architecture} PRIVATE "${CPP}")
  set_target_properties(ptx-${architecture} PROPERTIES CUDA_STANDARD 20 CUDA_PTX_COMPILATION ON
    CUDA_ARCHITECTURES "${architecture}-virtual")
endforeach()
"""
PROBE = "__global__ void probe(float* x) { x[0] = x[0] * x[1] + x[2]; }\n"
ARITHMETIC = re.compile(
    r"\b(?:add|sub|mul|div|fma|mad|sqrt|rcp|ex2|lg2|cvt)\.[a-z0-9_.]*f(?:16|32|64)[a-z0-9_.]*"
)


def floating(ptx: str) -> list[str]:
    """Each floating-point arithmetic instruction of a PTX text, conversions included."""
    return ARITHMETIC.findall(ptx)


def is_declared(instruction: str) -> bool:
    """Rounded to nearest, neither fused nor approximate nor flushing; integers convert exactly or `.rn`."""
    return ".rn." in instruction and not re.search(r"\.ftz|\.approx|^fma|^mad", instruction)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A CMake tree with the PTX of combine.cu and of PROBE, for each architecture of the toolchain file."""
    nvcc, _ = find_nvcc()
    if nvcc is None:
        pytest.skip("nvcc is not installed: combine.cu is checked as C++ only")
    source = tmp_path_factory.mktemp("cuda")
    (source / "CMakeLists.txt").write_text(LISTS)
    (source / "probe.cu").write_text(PROBE)
    tools = find_build_tools()
    for arguments in (
        ["-S", source, "-B", source / "tree", "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools.ninja}",
         f"-DCMAKE_TOOLCHAIN_FILE={CPP.parent / 'toolchains' / 'cuda-host.cmake'}",
         f"-DCMAKE_CUDA_COMPILER={nvcc}", f"-DCPP={CPP}"],
        ["--build", source / "tree"],
    ):  # fmt: skip
        done = subprocess.run([tools.cmake, *arguments], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return source / "tree"


@pytest.mark.parametrize("architecture", ["80", "90"])
def test_ptx_rounds_as_declared(tree: Path, architecture: str) -> None:
    texts = [path.read_text() for path in (tree / "CMakeFiles" / f"ptx-{architecture}.dir").rglob("*.ptx")]
    assert len(texts) == 2 and all(f".target sm_{architecture}\n" in text for text in texts)
    found = [instruction for text in texts for instruction in floating(text)]
    # The product is the probe's: by default it would be fused with the sum.
    assert {"add.rn.f32", "add.rn.f64", "div.rn.f32", "div.rn.f64", "mul.rn.f32"} <= set(found)
    assert [instruction for instruction in found if not is_declared(instruction)] == []


def test_the_host_does_not_contract(tree: Path) -> None:
    commands = [entry["command"] for entry in json.loads((tree / "compile_commands.json").read_text())]
    assert commands and all("-Xcompiler -ffp-contract=off" in command for command in commands)


@pytest.mark.parametrize("line", ["add.f32 %f1", "add.ftz.rn.f32", "div.approx.f32", "fma.rn.f32", "mul.f64"])
def test_the_search_finds_what_it_is_for(line: str) -> None:
    (instruction,) = floating(line)
    assert not is_declared(instruction)
