"""Every row of the lowering table against JAX, in both roundings, and on AArch64 against x86-64."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path

import numpy as np
import pytest

from alpha_build.build import reference, toolchains
from alpha_build.learner.lower import table
from learner import cases, cases_control, cases_narrow, cases_random, cases_window
from learner.programs import Case, run, run_elsewhere, same_bits
from native import AARCH64

Results = dict[str, list[np.ndarray]]


def _flat(rows: dict[str, dict[str, Case]], prefix: str) -> dict[str, Case]:
    names = {
        (row, kind): f"{prefix}_{row.replace('-', '_')}_{kind}"
        for row, kinds in rows.items()
        for kind in kinds
    }
    return {name: rows[row][kind] for (row, kind), name in names.items()}


MODULES = (cases, cases_control, cases_narrow, cases_random, cases_window)
CASES: dict[str, Case] = {}
for _module in MODULES:
    CASES |= _flat(_module.EXACT, "exact") | _flat(_module.CLOSE, "close")


@pytest.fixture(scope="module", params=["separate", "fused"])
def rounding(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def results(rounding: str, tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(CASES, tmp_path_factory.mktemp("rows"), rounding)


def test_every_row_has_a_case() -> None:
    assert {row for module in MODULES for row in (*module.EXACT, *module.CLOSE)} == set(table.ROWS)


@pytest.mark.native
@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("exact")])
def test_bits_equal_jax(name: str, results: Results) -> None:
    expected = CASES[name].expected
    assert len(results[name]) == len(expected)
    for ours, theirs in zip(results[name], expected, strict=True):
        assert same_bits(ours, theirs), f"{ours}\n{theirs}"


@pytest.mark.native
@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("close")])
def test_values_near_jax(name: str, results: Results) -> None:
    for ours, theirs in zip(results[name], CASES[name].expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-5)


@pytest.mark.native
@pytest.mark.parametrize("loop", ["scan_five", "scan_fori", "while_five"])
def test_five_steps_of_a_loop_give_the_value_of_the_report(loop: str, results: Results) -> None:
    (value,) = results[f"exact_{loop}"]
    assert value.view(np.uint32) == 0x3FE675D0


@pytest.mark.native
def test_nan_that_leaves_a_program_is_the_canonical_one(results: Results) -> None:
    seen = 0
    for outputs in results.values():
        for output in outputs:
            if output.dtype == np.float32:
                bits = np.atleast_1d(output).view(np.uint32)[np.isnan(np.atleast_1d(output))]
                seen += bits.size
                assert (bits == 0x7FC00000).all()
    assert seen > 50


@pytest.mark.native
def test_other_compiler_gives_the_same_bits(
    rounding: str, results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    zig = toolchains.find_zig(platform.machine())
    if zig is None:
        pytest.skip("no Zig")
    monkeypatch.setattr(reference, "find", lambda target: zig)
    elsewhere = run(CASES, tmp_path, rounding)
    for name, outputs in results.items():
        assert [output.tobytes() for output in outputs] == [each.tobytes() for each in elsewhere[name]], name


@pytest.mark.cross
def test_other_instruction_set_gives_the_same_bits(rounding: str, results: Results, tmp_path: Path) -> None:
    if not shutil.which(AARCH64.compiler) or not (AARCH64.emulator and shutil.which(AARCH64.emulator)):
        pytest.skip("no AArch64 compiler or emulator")
    compiler = [AARCH64.compiler, *AARCH64.flags]
    elsewhere = run_elsewhere(CASES, tmp_path, compiler, [AARCH64.emulator], rounding)
    for name, outputs in results.items():
        assert [output.tobytes() for output in outputs] == elsewhere[name], name
