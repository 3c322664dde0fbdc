"""Programs as CUDA: threads that share them give the bits of one, without a race; PTX rounds as declared.

The source runs as C++ with threads of this machine (shim/learner/grid.h) under ThreadSanitizer, and on a GPU
where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alpha_build.learner.lower import Lowered, lower
from learner.bits import SHIM
from learner.programs import Case, run, run_elsewhere
from learner.test_rows import CASES, MODULES
from ptx import ARCHITECTURES, compiled, floating, is_declared, texts

# One case a row.
SAMPLE: dict[str, Case] = {}
for _module in MODULES:
    for _prefix, _rows in (("exact", _module.EXACT), ("close", _module.CLOSE)):
        for _row, _kinds in _rows.items():
            _name = f"{_prefix}_{_row.replace('-', '_')}_{next(iter(_kinds))}"
            SAMPLE[_name] = CASES[_name]


def lowered(rounding: str) -> dict[str, Lowered]:
    return {
        name: lower(each.program, name, target="cuda", rounding=rounding) for name, each in SAMPLE.items()
    }


def cuda_source(programs: Iterable[Lowered]) -> str:
    found = list(programs)
    includes = sorted({f'#include "{include}"' for each in found for include in each.includes})
    return "\n".join(
        [*includes, "namespace alpha {", *(each.source for each in found), "}  // namespace alpha\n"]
    )


@pytest.mark.native
@pytest.mark.slow
def test_threads_give_the_bits_of_one_without_a_race(tmp_path: Path) -> None:
    compiler = ["g++", "-pthread", "-fsanitize=thread", f"-I{SHIM}"]
    shared = run_elsewhere(
        SAMPLE, tmp_path, compiler, ["setarch", "-R"], "fused", multiplies=False, static=False, target="cuda"
    )
    for name, outputs in run(SAMPLE, tmp_path, "fused").items():
        assert [output.tobytes() for output in outputs] == shared[name], name


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """PTX of the sample in both roundings."""
    folder = tmp_path_factory.mktemp("cuda")
    sources = [folder / f"{rounding}.cu" for rounding in ("separate", "fused")]
    for source in sources:
        source.write_text(cuda_source(lowered(source.stem).values()))
    return compiled(sources, folder)


@pytest.mark.native
@pytest.mark.slow
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_ptx_rounds_as_declared(tree: Path, architecture: str) -> None:
    for text in texts(tree, architecture):
        found = floating(text)
        fused = any(instruction.startswith("fma") for instruction in found)
        assert {"add.rn.f64", "mul.rn.f32", "div.rn.f32", "sqrt.rn.f32"} <= set(found)
        assert [each for each in found if not is_declared(each, fused=fused)] == []
        assert f".target sm_{architecture}\n" in text


def functions_of(ptx: str) -> list[str]:
    return re.split(r"\n(?=\.visible|\.func|\.weak)", ptx)


@pytest.mark.native
@pytest.mark.slow
def test_only_contractions_fuse(tree: Path) -> None:
    functions = {
        "fma" in "".join(floating(text)): functions_of(text) for text in texts(tree, ARCHITECTURES[0])
    }
    assert set(functions) == {False, True}
    fusing = [part for part in functions[True] if "fma.rn" in part]
    assert fusing and all("multiply" in part or "dot_general" in part or "conv" in part for part in fusing)


@pytest.mark.native
@pytest.mark.slow
def test_the_compiler_gave_up_on_nothing(tree: Path) -> None:
    """A table that only the host has becomes a trap, without a word."""
    (text, *_) = texts(tree, ARCHITECTURES[0])
    traps = [part for part in functions_of(text) if re.search(r"\btrap\b", part)]
    assert traps and all("meet" in part.split("(")[1] for part in traps)  # a launch that is not cooperative
    assert text.count("kPowersOfTwo") > 1


@pytest.mark.gpu
def test_a_gpu_gives_the_bits_of_the_cpu(tree: Path, tmp_path: Path) -> None:
    cupy: Any = pytest.importorskip("cupy", reason="no CuPy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as failure:
        pytest.skip(f"no GPU: {failure}")
    (path,) = (tree / "CMakeFiles" / f"ptx-{ARCHITECTURES[0]}.dir").rglob("fused*.ptx")
    module = cupy.RawModule(path=str(path), enable_cooperative_groups=True)
    programs = lowered("fused")
    for name, outputs in run(SAMPLE, tmp_path, "fused").items():
        inputs = [cupy.asarray(array) for array in (*SAMPLE[name].arguments, *SAMPLE[name].program.constants)]
        results = [cupy.zeros(max(output.nbytes, 1), cupy.uint8) for output in outputs]
        scratch = cupy.zeros(programs[name].scratch_bytes(1) + 64, cupy.uint8)
        pointers = [
            cupy.asarray(np.array([each.data.ptr for each in arrays] or [0], np.uint64))
            for arrays in (inputs, results)
        ]
        module.get_function(f"{name}_kernel")((4,), (64,), (np.uint64(0), *pointers, scratch))
        for result, output in zip(results, outputs, strict=True):
            assert result.get()[: output.nbytes].tobytes() == output.tobytes(), name
