"""Elementary functions are correctly rounded: dense samples against doubles that settle the rounding."""

from __future__ import annotations

import ctypes
import math
import runpy
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from learner.programs import CPP, equal_bits

pytestmark = pytest.mark.native
Function = Callable[[np.ndarray], np.ndarray]
_RNG = np.random.default_rng(3)
_SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    1e-45,
    -1e-45,
    1.2e-38,
    3.4e38,
    -3.4e38,
    88.7,
    -103.9,
]
SAMPLES = np.concatenate([
    np.arange(0, 2**32, 32749, dtype=np.uint64).astype(np.uint32).view(np.float32),
    (_RNG.normal(size=60000) * 4).astype(np.float32),
    (1 + _RNG.normal(size=20000) * 1e-3).astype(np.float32),
    np.array(_SPECIAL, np.float32),
])  # fmt: skip


def _each(function: Callable[[float], float]) -> Function:
    return lambda x: np.array([function(value) for value in x.tolist()])


REFERENCES: dict[str, Function] = {
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "logarithm": np.log,
    "logarithm_of_one_plus": np.log1p,
    "hyperbolic_tangent": np.tanh,
    "logistic": lambda x: 1 / (1 + np.exp(-x)),
    "square_root": np.sqrt,
    "reciprocal_square_root": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "cosine": np.cos,
    "error_function": _each(math.erf),
}
_LONG_WAYS = {
    "exponential_long": (-80, 80), "exponential_minus_one_long": (-29, 80), "logarithm_long": (1e-38, 1e38),
    "hyperbolic_tangent_long": (-12, 12), "logistic_long": (-80, 20),
}  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    out = tmp_path_factory.mktemp("elementary") / "elementary.so"
    flags = ["-std=c++20", "-O2", "-shared", "-fPIC", "-ffp-contract=off", "-fno-math-errno", f"-I{CPP}"]
    source = Path(__file__).with_name("elementary.cpp")
    subprocess.run(["g++", *flags, str(source), "-o", str(out)], check=True)
    return ctypes.CDLL(str(out))


def _call(library: ctypes.CDLL, name: str, *inputs: np.ndarray) -> np.ndarray:
    arrays = [np.ascontiguousarray(array, np.float32) for array in inputs]
    out = np.empty_like(arrays[0])
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*arrays, out)]
    getattr(library, f"over_{name}")(*pointers, ctypes.c_uint64(out.size))
    return out


def _check(ours: np.ndarray, values: np.ndarray, reference: Function) -> None:
    """A double known to 2^-49 settles all but about one rounding in 2^24."""
    with np.errstate(all="ignore"):
        exact = reference(values.astype(np.float64))
        below, above = (
            (exact * (1 - 2.0**-49)).astype(np.float32),
            (exact * (1 + 2.0**-49)).astype(np.float32),
        )
    settled = equal_bits(below, above)
    wrong = settled & ~equal_bits(ours, below)
    assert not wrong.any(), (values[wrong][:5], ours[wrong][:5], below[wrong][:5])
    assert np.count_nonzero(~settled) < 4


@pytest.mark.parametrize("name", REFERENCES)
def test_correctly_rounded(name: str, library: ctypes.CDLL) -> None:
    _check(_call(library, name, SAMPLES), SAMPLES, REFERENCES[name])


@pytest.mark.parametrize("name", _LONG_WAYS)
def test_the_long_way_rounds_alike(name: str, library: ctypes.CDLL) -> None:
    low, high = _LONG_WAYS[name]
    values = SAMPLES[(low <= SAMPLES) & (high >= SAMPLES) & (SAMPLES != 0)]
    _check(_call(library, name, values), values, REFERENCES[name.removesuffix("_long")])


# Inputs, found among all 2^32, whose double rounds to the wrong side: logarithm's are the only ones, and
# exponential, exponential_minus_one and hyperbolic_tangent have none.
HARD = {
    "logarithm": {
        0x3C413D3A: 0xC08E158F,
        0x41178FEB: 0x400FE5E7,
        0x4C5D65A5: 0x418F034B,
        0x65D890D3: 0x4254D1F9,
        0x6F31A8EC: 0x42845A89,
    },
    "logistic": {0x36380000: 0x3F00000B},
}


@pytest.mark.parametrize("name", HARD)
def test_the_hardest_inputs(name: str, library: ctypes.CDLL) -> None:
    values = np.array(list(HARD[name]), np.uint32).view(np.float32)
    assert _call(library, name, values).view(np.uint32).tolist() == list(HARD[name].values())


def test_power_is_within_one_unit(library: ctypes.CDLL) -> None:
    base = np.abs(_RNG.normal(size=20000) * 5).astype(np.float32)
    exponent = (_RNG.normal(size=20000) * 6).astype(np.float32)
    exact = np.power(base.astype(np.float64), exponent.astype(np.float64)).astype(np.float32)
    ours = _call(library, "power", base, exponent)
    steps = np.abs(ours.view(np.int32).astype(np.int64) - exact.view(np.int32))
    assert steps.max() <= 1


def test_tables_are_what_their_script_writes() -> None:
    script = runpy.run_path(str(CPP / "learner" / "elementary_tables.py"))
    written = (CPP / "learner" / "elementary_tables.h").read_text()
    assert written.split() == script["text"]().split()
