"""cpp/combine.cu by toolchains/cuda-host.cmake: it compiles, and its PTX rounds as declared and no more.

Nothing here runs on a GPU; the bits of the same source as C++ are test_combine's.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from native import CPP
from ptx import ARCHITECTURES, compiled, floating, is_declared, texts

pytestmark = pytest.mark.native

PROBE = "__global__ void probe(float* x) { x[0] = x[0] * x[1] + x[2]; }\n"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PTX of combine.cu and of PROBE."""
    folder = tmp_path_factory.mktemp("cuda")
    (folder / "probe.cu").write_text(PROBE)
    return compiled([CPP / "combine.cu", folder / "probe.cu"], folder)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_ptx_rounds_as_declared(tree: Path, architecture: str) -> None:
    found = texts(tree, architecture)
    assert len(found) == 2 and all(f".target sm_{architecture}\n" in text for text in found)
    instructions = [instruction for text in found for instruction in floating(text)]
    # The product is the probe's: by default it would be fused with the sum.
    assert {"add.rn.f32", "add.rn.f64", "div.rn.f32", "div.rn.f64", "mul.rn.f32"} <= set(instructions)
    assert [instruction for instruction in instructions if not is_declared(instruction)] == []


def test_the_host_does_not_contract(tree: Path) -> None:
    commands = [entry["command"] for entry in json.loads((tree / "compile_commands.json").read_text())]
    assert commands and all("-Xcompiler -ffp-contract=off" in command for command in commands)


@pytest.mark.parametrize("line", ["add.f32 %f1", "add.ftz.rn.f32", "div.approx.f32", "fma.rn.f32", "mul.f64"])
def test_the_search_finds_what_it_is_for(line: str) -> None:
    (instruction,) = floating(line)
    assert not is_declared(instruction)
