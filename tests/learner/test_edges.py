"""The edge rules of docs/contract.md, one by one, with the bits that each says: no reference but the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

from alpha_build.build import reference
from alpha_build.build.reference import compile_programs
from learner.programs import Case, case

pytestmark = pytest.mark.native
NAN, INF, MOST, LEAST = np.nan, np.inf, 2**31 - 1, -(2**31)
BIG = 2.0**24  # one more than this is no f32
A, B, C = 1 + 2.0**-12, 1 + 2.0**-12, -(1 + 2.0**-11)  # a b + c is 2^-24, with a rounded product 0


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def ints(*values: int, dtype: Any = np.int32) -> np.ndarray:
    return np.array(values, dtype)


def halves(*values: float) -> np.ndarray:
    return np.array(values, ml_dtypes.bfloat16)


def _power(x: float) -> np.ndarray:
    """x^7 by squaring, low bit first."""
    one = np.float32(x)
    two = one * one
    return floats(one * two * (two * two))


def _window(x: Any) -> Any:
    return lax.reduce_window(x, np.float32(0), lax.add, (4,), (1,), "VALID")


def _convolved(x: Any, w: Any) -> Any:
    return lax.conv_general_dilated(x, w, (1,), [(1, 0)], dimension_numbers=("NWC", "WIO", "NWC"))


# Rule: function, arguments, what it gives.
RULES: dict[str, tuple[Any, tuple[np.ndarray, ...], np.ndarray]] = {
    "integers wrap": (
        lambda x, y: x + y * 3,
        (ints(MOST, LEAST, 5), ints(1, -1, MOST)),
        ints(LEAST + 2, MOST - 2, 2 + LEAST),
    ),
    "narrow integers wrap": (lambda x: x * x, (ints(200, 16, dtype=np.uint8),), ints(64, 0, dtype=np.uint8)),
    "x / 0 is -1, MIN / -1 is MIN": (lax.div, (ints(7, 0, LEAST), ints(0, 0, -1)), ints(-1, -1, LEAST)),
    "unsigned x / 0 is all ones": (
        lax.div,
        (ints(7, 0, dtype=np.uint8), ints(0, 0, dtype=np.uint8)),
        ints(255, 255, dtype=np.uint8),
    ),
    "x rem 0 is x, MIN rem -1 is 0": (lax.rem, (ints(7, -7, LEAST), ints(0, 0, -1)), ints(7, -7, 0)),
    "shifts past the width give 0": (lax.shift_left, (ints(1, -1, 1), ints(32, 99, -1)), ints(0, 0, 0)),
    "logical ones too": (lax.shift_right_logical, (ints(-1, -1), ints(31, 32)), ints(1, 0)),
    "arithmetic ones give the sign": (
        lax.shift_right_arithmetic,
        (ints(-5, 5, -5), ints(32, 40, -3)),
        ints(-1, 0, -1),
    ),
    "float to integer saturates, NaN gives 0": (
        lambda x: x.astype(np.int32),
        (floats(3e9, -3e9, INF, -INF, NAN, -2.7, 2.0**31),),
        ints(MOST, LEAST, MOST, LEAST, 0, -2, MOST),
    ),
    "to unsigned bytes": (
        lambda x: x.astype(np.uint8),
        (floats(-1, 255.9, 256, NAN, -INF),),
        ints(0, 255, 255, 0, 0, dtype=np.uint8),
    ),
    "NaN wins in max": (lax.max, (floats(1, NAN, NAN), floats(NAN, 3, NAN)), floats(NAN, NAN, NAN)),
    "NaN wins in min": (lax.min, (floats(1, NAN, -INF), floats(NAN, 3, NAN)), floats(NAN, NAN, NAN)),
    "-0 is below +0 in max": (lax.max, (floats(-0.0, 0.0), floats(0.0, -0.0)), floats(0.0, 0.0)),
    "-0 is below +0 in min": (lax.min, (floats(-0.0, 0.0), floats(0.0, -0.0)), floats(-0.0, -0.0)),
    "a NaN anywhere wins over a row": (
        lambda x: jnp.max(x, 1),
        (np.where(np.eye(4, dtype=bool), np.float32(NAN), floats(1, 2, 3, 4)),),
        floats(NAN, NAN, NAN, NAN),
    ),
    "argmax is the first NaN, else the first of equals": (
        lambda x: lax.argmax(x, 1, np.int32),
        (np.stack([floats(9, NAN, NAN), floats(1, 7, 7), floats(-0.0, 0.0, -1)]),),
        ints(1, 1, 0),
    ),
    "the last duplicate of a scatter wins": (
        lambda x, i, y: x.at[i].set(y),
        (floats(0, 0), ints(1, 1, 1), floats(5, 6, 7)),
        floats(0, 7),
    ),
    "a scatter adds in ascending update index": (
        lambda x, i, y: x.at[i].add(y),
        (floats(0), ints(0, 0, 0, 0), floats(BIG, 1, 1, -BIG)),
        floats(0),
    ),
    "cumulative sums are sequential": (
        lambda x: lax.cumsum(x, 0),
        (floats(BIG, 1, 1, -BIG),),
        floats(BIG, BIG, BIG, 0),
    ),
    "windows are sequential": (_window, (floats(BIG, 1, 1, -BIG, 3),), floats(0, 5 - BIG)),
    "bf16 rounds after each primitive": (lambda x: x + 1 + 1, (halves(256, 2),), halves(256, 4)),
    "f16 rounds after each primitive": (
        lambda x: (x + 1 + 1).astype(np.float32),
        (np.array([2048, 65504], np.float16),),
        floats(2048, 65504),
    ),
    "f16 overflows, and keeps subnormals": (
        lambda x: x * x,
        (np.array([256, 2.0**-12], np.float16),),
        np.array([INF, 2.0**-24], np.float16),
    ),
    "a power is by squaring, low bit first": (lambda x: lax.integer_pow(x, 7), (floats(1.1),), _power(1.1)),
    "a negative power is one division at the end": (
        lambda x: lax.integer_pow(x, -2),
        (floats(3, 0),),
        floats(np.float32(1) / np.float32(9), INF),
    ),
    "0 / 0, infinities apart, roots of negatives: the one NaN": (
        lambda x, y: lax.sqrt(x) / y,
        (floats(0, INF, -1), floats(0, INF, 1)),
        floats(NAN, NAN, NAN),
    ),
    "a NaN's sign and payload do not leave": (
        lambda x: -x,
        (np.array([0xFFC12345, 0x7FC00001], np.uint32).view(np.float32),),
        floats(NAN, NAN),
    ),
    "a NaN is canonical before a bitcast": (
        lambda x: lax.bitcast_convert_type(-(x - x), np.int32),
        (floats(INF, -INF),),
        ints(0x7FC00000, 0x7FC00000),
    ),
    "a NaN is canonical before a narrowing": (
        lambda x: lax.bitcast_convert_type((-(x - x)).astype(jnp.bfloat16), np.int16),
        (floats(INF),),
        ints(0x7FC0, dtype=np.int16),
    ),
    "x / 0 is infinite": (lax.div, (floats(1, -1, 1), floats(0, 0, -0.0)), floats(INF, -INF, -INF)),
    "log(0) is -infinity, of less NaN": (lax.log, (floats(0, -0.0, -1),), floats(-INF, -INF, NAN)),
    "overflow is infinite": (
        lambda x: (jnp.exp(x), x * np.float32(3e38)),
        (floats(89, -2),),
        np.stack([floats(INF, np.exp(np.float64(-2))), floats(INF, -INF)]),
    ),
    "subnormal numbers are kept": (
        lambda x: x * np.float32(2.0**-100) + x * 0,
        (floats(2.0**-49, -(2.0**-30)),),
        floats(2.0**-149, -(2.0**-130)),
    ),
    "padding times an infinite weight is NaN": (
        _convolved,
        (np.ones((1, 2, 1), np.float32), np.array([INF, 1], np.float32).reshape(2, 1, 1)),
        np.array([NAN, INF], np.float32).reshape(1, 2, 1),
    ),
    "a contraction is cut every 256": (
        jnp.dot,
        (np.append(floats(BIG), np.ones(511, np.float32)), np.ones(512, np.float32)),
        np.float32(BIG + 256),
    ),
    "an empty sum is 0, and nothing is added for it": (
        lambda x: jnp.sum(x, 0),
        (np.zeros((0, 2), np.float32),),
        floats(0, 0),
    ),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, np.ndarray]:
    cases: dict[str, Case] = {rule: case(function, *given) for rule, (function, given, _) in RULES.items()}
    return _run(cases, "separate", tmp_path_factory.mktemp("edges"))


def _run(cases: dict[str, Case], rounding: str, folder: Path) -> dict[str, np.ndarray]:
    programs = {f"rule{i}": each.program for i, each in enumerate(cases.values())}
    with pytest.MonkeyPatch.context() as patch:  # the bits do not depend on it; the time does
        patch.setattr(reference, "_FLAGS", tuple(f if f != "-O3" else "-O0" for f in reference._FLAGS))
        kernels = compile_programs(programs, rounding, folder)
    found = {}
    for i, (rule, each) in enumerate(cases.items()):
        outputs = kernels[f"rule{i}"](0, each.arguments)
        found[rule] = outputs[0] if len(outputs) == 1 else np.stack(outputs)
    return found


@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str, results: dict[str, np.ndarray]) -> None:
    expected = RULES[rule][2]
    assert results[rule].dtype == expected.dtype
    assert results[rule].tobytes() == expected.tobytes(), f"{results[rule]}, not {expected}"


@pytest.mark.parametrize(("rounding", "value"), [("separate", 0.0), ("fused", 2.0**-24)])
def test_rounding_within_a_contraction(rounding: str, value: float, tmp_path: Path) -> None:
    """The product joins the sum unrounded where the contract says fused, and nowhere else."""
    cases = {
        "dot": case(jnp.dot, floats(1, A), floats(C, B)),
        "chain": case(lambda a, b, c: a * b + c, floats(A), floats(B), floats(C)),
        "sum": case(lambda x, y: jnp.sum(x * y), floats(1, A), floats(C, B)),
    }
    found = _run(cases, rounding, tmp_path)
    assert found["dot"] == value
    assert found["chain"] == found["sum"] == 0
