"""Elementary functions against outside doubles and quadruple precision, sampled, on every target."""

from __future__ import annotations

import platform
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest

from learner.exhaustive import NARROW, WIDE, compile_checker
from learner.programs import CPP
from native import AARCH64

LONG = ["exponential", "exponential_minus_one", "logarithm", "hyperbolic_tangent", "logistic"]
# Inputs, found among all 2^32, whose double rounds to the wrong side: logarithm's are the only ones, and
# exponential, exponential_minus_one and hyperbolic_tangent have none.
HARD = {
    "logarithm": (0x3C413D3A, 0x41178FEB, 0x4C5D65A5, 0x65D890D3, 0x6F31A8EC),
    "logistic": (0x36380000,),
}
STEP = 32749  # 131,148 inputs of any size


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return compile_checker(tmp_path_factory.mktemp("elementary"), ["g++"])


def said(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


@pytest.mark.native
@pytest.mark.parametrize("name", [*NARROW, *(f"{each}_long" for each in LONG)])
def test_of_one_f32_is_correctly_rounded(name: str, checker: list[str]) -> None:
    said(*checker, name, "0", str(2**32), str(STEP))


@pytest.mark.native
@pytest.mark.parametrize("name", HARD)
def test_the_hardest_inputs(name: str, checker: list[str]) -> None:
    for bits in HARD[name]:
        assert "tried 1 wrong 0" in said(*checker, name, str(bits), str(bits + 1), "1")


@pytest.mark.native
@pytest.mark.parametrize("name", WIDE)
def test_of_f64_is_within_one_unit(name: str, checker: list[str]) -> None:
    said(*checker, "wide", name, "20000")


@pytest.mark.cross
def test_the_other_instruction_set(tmp_path: Path) -> None:
    """There it is compiled with the other flags, and compared with that system's own quadruple precision."""
    if platform.machine() == "aarch64" or not shutil.which(AARCH64.compiler) or not AARCH64.emulator:
        pytest.skip("no AArch64 compiler or emulator")
    checker = [AARCH64.emulator, *compile_checker(tmp_path, [AARCH64.compiler, *AARCH64.flags, "-static"])]
    for name in NARROW:
        said(*checker, name, "0", str(2**32), str(STEP * 53))
    for name in WIDE:
        said(*checker, "wide", name, "300")


@pytest.mark.native
def test_a_wrong_result_is_seen(tmp_path: Path) -> None:
    """The same functions with one place of a table moved: else nothing above says anything."""
    table = (CPP / "learner" / "elementary_tables.h").read_text()
    first = table.index("kArcTangents[] = {") + len("kArcTangents[] = {")
    second = table.index("0x1.", first)
    changed = table[:second] + table[second:].replace("0x1.", "0x1.0001", 1)
    (tmp_path / "learner").mkdir()
    (tmp_path / "learner" / "elementary_tables.h").write_text(changed)
    checker = compile_checker(tmp_path, ["g++", f"-I{tmp_path}"])
    ended = subprocess.run(
        [*checker, "arc_tangent", "0", str(2**32), str(STEP)], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "wrong 0" not in ended.stdout


def test_tables_are_what_their_script_writes() -> None:
    script = runpy.run_path(str(CPP / "learner" / "elementary_tables.py"))
    written = (CPP / "learner" / "elementary_tables.h").read_text()
    assert written.split() == script["text"]().split()
