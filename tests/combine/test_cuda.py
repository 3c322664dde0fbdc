"""cpp/combine.cu under nvcc: it compiles, and its PTX has no rounding but the declared one.

Nothing here runs on a GPU; the bits of the same source as C++ are test_combine's.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from native import CPP

pytestmark = pytest.mark.native

NVCC = shutil.which("nvcc")
ARITHMETIC = re.compile(
    r"\b(?:add|sub|mul|div|fma|mad|sqrt|rcp|ex2|lg2|cvt)\.[a-z0-9_.]*f(?:16|32|64)[a-z0-9_.]*"
)


def floating(ptx: str) -> list[str]:
    """Each floating-point arithmetic instruction of a PTX text, conversions included."""
    return ARITHMETIC.findall(ptx)


def is_declared(instruction: str) -> bool:
    """Rounded to nearest, neither fused nor approximate nor flushing; integers convert exactly or `.rn`."""
    return ".rn." in instruction and not re.search(r"\.ftz|\.approx|^fma|^mad", instruction)


@pytest.mark.skipif(NVCC is None, reason="nvcc is not installed: combine.cu is checked as C++ only")
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_ptx_rounds_as_declared(tmp_path: Path, architecture: str) -> None:
    out = tmp_path / "combine.ptx"
    subprocess.run(
        ["nvcc", "-std=c++20", "-fmad=false", "-Xcompiler", "-ffp-contract=off", f"-arch={architecture}",
         f"-I{CPP}", "-ptx", str(CPP / "combine.cu"), "-o", str(out)],
        check=True,
    )  # fmt: skip
    found = floating(out.read_text())
    assert {"add.rn.f32", "add.rn.f64", "div.rn.f32", "div.rn.f64"} <= set(found)
    assert [instruction for instruction in found if not is_declared(instruction)] == []


@pytest.mark.parametrize("line", ["add.f32 %f1", "add.ftz.rn.f32", "div.approx.f32", "fma.rn.f32", "mul.f64"])
def test_the_search_finds_what_it_is_for(line: str) -> None:
    (instruction,) = floating(line)
    assert not is_declared(instruction)
