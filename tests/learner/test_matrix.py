"""Matrix products by every instruction set of this machine: the bits of a plain loop, in planned memory."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from alpha_build.learner.lower import contraction
from alpha_build.learner.lower.extent import Extent, extent
from learner.programs import CPP

pytestmark = pytest.mark.native
_RNG = np.random.default_rng(5)
# m, n, k: tiles, their remainders and edges of panels; one row or column; next to none.
SHAPES = [
    (12, 32, 256), (13, 33, 257), (6, 16, 1), (5, 15, 300), (23, 31, 2), (25, 47, 70), (241, 40, 30),
    (70, 1025, 9), (30, 7, 40), (200, 3, 20), (1, 10, 700), (1, 300, 300), (129, 1, 61), (40, 1, 513),
    (3, 1, 9), (1, 1, 5), (2, 9, 0), (17, 96, 256), (8, 1100, 260),
]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Compiled for the oldest processor, so that all forms are there."""
    out = tmp_path_factory.mktemp("matrix") / "matrix.so"
    flags = ["-std=c++20", "-O1", "-shared", "-fPIC", "-ffp-contract=off", "-fno-math-errno", f"-I{CPP}"]
    sources = [str(Path(__file__).with_name("matrix.cpp")), str(CPP / "learner" / "matrix.cpp")]
    subprocess.run(["g++", *flags, *sources, "-o", str(out)], check=True)
    return ctypes.CDLL(str(out))


def _values(count: int) -> np.ndarray:
    """Of many magnitudes, so that every other order of addition shows; zeros of both signs among them."""
    values = (_RNG.normal(size=count) * 10.0 ** _RNG.uniform(-3, 3, size=count)).astype(np.float32)
    values[_RNG.random(count) < 0.05] = -0.0
    return values


@pytest.mark.parametrize("fused", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_every_form_gives_the_bits_of_a_plain_loop(
    shape: tuple[int, int, int], fused: bool, library: ctypes.CDLL
) -> None:
    m, n, k = shape
    left, right = _values(m * k), _values(k * n)
    elements = contraction.workspace(extent(m), extent(n), extent(k))
    guard = np.float32(7)
    workspace = np.full(elements + 16, guard)
    for form in range(library.forms()):
        for turned in range(8):
            result = np.full(m * n, np.float32(np.nan))
            pointers = [ctypes.c_void_p(a.ctypes.data) for a in (left, right, result, workspace)]
            sizes = [ctypes.c_uint64(size) for size in shape]
            assert (
                library.product(ctypes.c_uint64(form), fused, *sizes, *pointers, ctypes.c_uint64(turned)) == 0
            ), (form, turned)
    assert (workspace[elements:] == guard).all()


def test_the_plan_has_the_constants_of_the_header() -> None:
    header = (CPP / "learner" / "matrix.h").read_text()
    names = {
        "kPart": contraction.PART,
        "kPanelColumns": contraction.PANEL_COLUMNS,
        "kPanelRows": contraction.PANEL_ROWS,
        "kStrip": contraction.STRIP,
    }
    for name, value in names.items():
        assert f"constexpr u64 {name} = {value};" in header


def test_the_plan_holds_for_any_number_of_rows() -> None:
    rows = Extent((0, 1))
    shapes = (rows, extent(128), extent(784)), (extent(784), extent(10), rows), (extent(5), rows, rows)
    for shape in shapes:
        most = contraction.workspace(*shape)
        for count in (1, 7, 100, 5000):
            assert contraction.workspace(*(extent(size.at(count)) for size in shape)) <= most
