"""Elementary functions over arrays, in vectors: bit for bit those of one number, in place too."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from learner.programs import CPP
from native import AARCH64

STEP = 32749
_FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", "-fno-math-errno", f"-I{CPP}"]


def _differing(folder: Path, compiler: Sequence[str], emulator: Sequence[str], step: int) -> dict[str, int]:
    out = folder / "arrays"
    sources = [str(Path(__file__).with_name("arrays.cpp")), str(CPP / "learner" / "elementary_arrays.cpp")]
    subprocess.run([*compiler, *_FLAGS, *sources, "-o", str(out)], check=True)
    told = subprocess.run([*emulator, str(out), str(step)], check=True, capture_output=True, text=True).stdout
    return {name: int(count) for name, count in (line.split() for line in told.splitlines())}


@pytest.mark.native
def test_bits_of_one_number(tmp_path: Path) -> None:
    found = _differing(tmp_path, ["g++", "-march=native"], [], STEP)
    assert len(found) == 5 and not any(found.values()), found


@pytest.mark.cross
def test_bits_on_the_other_instruction_set(tmp_path: Path) -> None:
    if missing := AARCH64.missing():
        pytest.skip(f"{missing} is not installed")
    compiler = [AARCH64.compiler, *AARCH64.flags, "-static"]
    emulator = [AARCH64.emulator] if AARCH64.emulator else []
    found = _differing(tmp_path, compiler, emulator, STEP * 53)
    assert len(found) == 5 and not any(found.values()), found
