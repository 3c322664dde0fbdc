"""Ordered combines in process against plain NumPy additions in the order that the page declares."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

import alpha_build as ab
from alpha_build import combine

DTYPES = [np.float32, np.float64, np.int32, np.int64]


def contributions(count: int, dtype: Any = np.float32, shape: tuple[int, ...] = (37,)) -> list[NDArray[Any]]:
    rng = np.random.default_rng(count)
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return [rng.integers(info.min, info.max, shape, dtype) for _ in range(count)]
    # Wide exponents, so that another order gives other bits.
    return [(rng.normal(size=shape) * 10.0 ** rng.integers(-6, 7, shape)).astype(dtype) for _ in range(count)]


def assert_same_bits(found: NDArray[Any], expected: NDArray[Any]) -> None:
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def fold(values: list[Any], fanout: int) -> Any:
    """Order `tree`, said once more: chunks of the descendants differ by at most one, larger first."""
    total, below = values[0], values[1:]
    chunks = min(fanout, len(below))
    while chunks:
        size = -(-len(below) // chunks)
        total, below, chunks = total + fold(below[:size], fanout), below[size:], chunks - 1
    return total


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fanout", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 12])
def test_tree(dtype: Any, fanout: int, count: int) -> None:
    values = contributions(count, dtype)
    before = [value.copy() for value in values]
    with np.errstate(over="ignore"):
        assert_same_bits(combine.tree(values, fanout=fanout), fold(values, fanout))
    for value, copy in zip(values, before, strict=True):
        assert_same_bits(value, copy)


def test_orders_differ_on_this_data() -> None:
    values = contributions(7)
    results = {combine.tree(values, fanout=fanout).tobytes() for fanout in (1, 2, 6)}
    assert len(results | {combine.canonical(values).tobytes()}) == 4


def test_sequence() -> None:
    values = contributions(5, shape=(3, 4))
    expected = values[0] + values[1] + values[2] + values[3] + values[4]
    assert_same_bits(combine.sequence(values), expected)
    assert_same_bits(combine.sequence(values[:1]), values[0])


@pytest.mark.parametrize("count", range(1, 10))
def test_canonical(count: int) -> None:
    values = contributions(count)
    level = list(values)
    while len(level) > 1:
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [pair[0] + pair[1] if len(pair) == 2 else pair[0] for pair in pairs]
    assert_same_bits(combine.canonical(values), level[0])


def test_absent_members_add_nothing() -> None:
    minus_zero = np.array([-0.0], np.float32)
    assert_same_bits(combine.tree([None, minus_zero, None], fanout=2), minus_zero)
    values = contributions(3)
    assert_same_bits(combine.tree([values[0], None, values[2]], fanout=1), values[0] + values[2])


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
def test_narrow_values_are_summed_in_f32(dtype: Any) -> None:
    values = [(value / 1e3).astype(dtype) for value in contributions(4)]
    wide = [value.astype(np.float32) for value in values]
    assert_same_bits(combine.sequence(values), wide[0] + wide[1] + wide[2] + wide[3])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mean_divides_once(dtype: Any) -> None:
    values = contributions(3, dtype)
    assert_same_bits(combine.tree(values, fanout=2, denominator=3), fold(values, 2) / dtype(3))


def test_nans_are_canonical() -> None:
    payload = np.array([0xFFC12345], np.uint32).view(np.float32)
    total = combine.sequence([payload, np.ones(1, np.float32)])
    assert total.view(np.uint32)[0] == 0x7FC00000
    infinity = np.array([np.inf], np.float64)
    assert combine.canonical([infinity, -infinity]).view(np.uint64)[0] == 0x7FF8000000000000


def test_strided_and_empty_arrays() -> None:
    grid = contributions(1, shape=(6, 8))[0]
    assert_same_bits(combine.tree([grid[:, ::2], grid[:, 1::2]], fanout=1), grid[:, ::2] + grid[:, 1::2])
    assert combine.tree([np.empty((0, 3), np.float32)] * 2, fanout=1).shape == (0, 3)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: combine.tree([], fanout=2), "no value"),
        (lambda: combine.tree([None, None], fanout=2), "no value"),
        (lambda: combine.tree(contributions(2), fanout=0), "fan-out"),
        (lambda: combine.tree([*contributions(1), *contributions(1, np.float64)]), "float32.*float64"),
        (lambda: combine.tree([np.zeros(2, np.float32), np.zeros(3, np.float32)]), r"\[2\].*\[3\]"),
        (lambda: combine.tree(contributions(2, np.int32), denominator=2), "integers have no mean"),
        (lambda: combine.tree(contributions(2), denominator=0), "positive"),
        (lambda: combine.tree([np.zeros(2, np.uint8)]), "bytes cannot be added"),
        (lambda: combine.tree([np.zeros(2, np.complex64)]), "complex64"),
        (lambda: combine.tree([np.zeros(2, ">f4")]), ">f4"),
        (lambda: combine.canonical([*contributions(1), None]), "block"),
    ],
)
def test_refusals(attempt: Any, message: str) -> None:
    with pytest.raises(ab.ContractFailure, match=message):
        attempt()


class OnDevice:
    """An array that says it lies on a CUDA device."""

    dtype = np.dtype(np.float32)
    shape = (2,)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0


def test_without_a_gpu_a_device_array_is_a_named_refusal() -> None:
    try:
        import cupy  # type: ignore[import-not-found, unused-ignore]

        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        with pytest.raises(ab.AlphaError, match="GPU") as refused:
            combine.tree([OnDevice(), OnDevice()], fanout=1)
        assert refused.value.kind == "no-gpu"
    else:
        pytest.skip("a GPU is here")


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", [*DTYPES, np.float16])
def test_device_gives_the_bits_of_the_host(dtype: Any) -> None:
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except Exception:
        pytest.skip("no GPU")
    values = contributions(7, dtype, (1000,))
    device = [cupy.asarray(value) for value in values]
    for order in (lambda v: combine.tree(v, fanout=2), combine.sequence, combine.canonical):
        with np.errstate(all="ignore"):
            assert_same_bits(order(device).get(), order(values))
    if not np.issubdtype(dtype, np.integer):
        assert_same_bits(combine.tree(device, denominator=7).get(), combine.tree(values, denominator=7))
