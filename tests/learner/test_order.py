"""Contractions and reductions in exactly the declared order, in every memory walk, against the model."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from learner import model
from learner.programs import case, run

pytestmark = pytest.mark.native
_RNG = np.random.default_rng(11)
COUNTS = (0, 1, 15, 16, 17, 100, 4095, 4096, 4097, 5 * 4096 + 3, 7 * 4096)


def _wild(*shape: int) -> np.ndarray:
    """Values of many magnitudes, so that every other order of addition shows."""
    return (_RNG.normal(size=shape) * 10.0 ** _RNG.uniform(-3, 3, size=shape)).astype(np.float32)


def test_reductions_by_row_and_by_column(tmp_path: Path) -> None:
    rows = {f"row{n}": case(lambda x: jnp.sum(x, 1), _wild(2, n)) for n in COUNTS}
    columns = {f"column{n}": case(lambda x: jnp.sum(x, 0), _wild(n, 9)) for n in COUNTS[1:]}
    for name, (result,) in run(rows | columns, tmp_path).items():
        values = (rows | columns)[name].arguments[0]
        expected = [model.reduction(line) for line in (values if name in rows else values.T)]
        assert result.tolist() == [float(value) for value in expected], name


def test_reduced_axes_flatten_row_major(tmp_path: Path) -> None:
    values = _wild(30, 3, 20, 2)
    cases = {
        "ends": case(lambda x: jnp.sum(x, (0, 2)), values),
        "middle": case(lambda x: jnp.sum(x, (1, 2)), values),
        "turned": case(lambda x: jnp.sum(jnp.transpose(x, (2, 1, 0, 3)), (0, 2)), values),
        "chain": case(lambda x: jnp.sum(x * x[:1], (0, 2)), values),
    }
    found = run(cases, tmp_path)
    plain = {
        "ends": values.transpose(1, 3, 0, 2),
        "middle": values.transpose(0, 3, 1, 2),
        "turned": values.transpose(1, 3, 2, 0),
        "chain": (values * values[:1]).transpose(1, 3, 0, 2),
    }
    for name, moved in plain.items():
        flat = moved.reshape(*moved.shape[:2], -1)
        expected = [[float(model.reduction(line)) for line in part] for part in flat]
        assert found[name][0].tolist() == expected, name


@pytest.mark.parametrize("rounding", ["separate", "fused"])
def test_contractions(rounding: str, tmp_path: Path) -> None:
    shapes = [(1, 1, 1), (7, 17, 300), (13, 16, 256), (6, 33, 257), (2, 3, 0), (20, 1, 700), (1, 40, 513)]
    cases = {}
    for m, n, k in shapes:
        left, right = _wild(m, k), _wild(k, n)
        cases[f"plain_{m}_{n}_{k}"] = case(lambda x, y: x @ y, left, right)
        cases[f"turned_{m}_{n}_{k}"] = case(lambda x, y: x.T @ y.T, left.T.copy(), right.T.copy())
    for name, (result,) in run(cases, tmp_path, rounding).items():
        left, right = cases[name].arguments
        if name.startswith("turned"):
            left, right = left.T, right.T
        for i, j in _sampled(*result.shape):
            expected = model.contraction(left[i], right[:, j], rounding)
            assert result[i, j] == expected, (name, i, j)


def _sampled(m: int, n: int) -> set[tuple[int, int]]:
    """Corners and some others: the model is slow."""
    picks = {(0, 0), (m - 1, n - 1), (m - 1, 0), (0, n - 1)}
    return picks | {(int(_RNG.integers(m)), int(_RNG.integers(n))) for _ in range(3)}


def test_several_contracted_axes_run_in_the_listed_order(tmp_path: Path) -> None:
    left, right = _wild(3, 20, 30), _wild(30, 20, 4)
    cases = {"both": case(lambda x, y: jnp.einsum("mij,jin->mn", x, y), left, right)}
    ((equation,),) = ([e for e in cases["both"].program.equations if e.primitive == "dot_general"],)
    axes = equation.params["dimension_numbers"][0][0]
    order = (0, *axes) if len(axes) == 2 else (0, 1, 2)
    flat_left = left.transpose(order).reshape(3, -1)
    flat_right = right.transpose((1, 0, 2) if order == (0, 1, 2) else (0, 1, 2)).reshape(-1, 4)
    (result,) = run(cases, tmp_path)["both"]
    assert result[1, 2] == model.contraction(flat_left[1], flat_right[:, 2], "separate")


def test_product_and_sum_round_apart_in_both_contracts(tmp_path: Path) -> None:
    a, c = np.float32(1 + 2**-12), np.float32(-(1 + 2**-11))
    for rounding in ("separate", "fused"):
        values = (np.full(100, a), np.full(100, a), np.full(100, c))
        cases = {f"chain_{rounding}": case(lambda x, y, z: x * y + z, *values)}
        (result,) = run(cases, tmp_path, rounding)[f"chain_{rounding}"]
        assert not result.view(np.uint32).any()


def test_fused_contraction_keeps_the_products_low_bits(tmp_path: Path) -> None:
    a, c = np.float32(1 + 2**-12), np.float32(-(1 + 2**-11))
    left, right = np.array([c, a], np.float32), np.array([1, a], np.float32)
    found = {
        r: run({f"dot_{r}": case(jnp.dot, left, right)}, tmp_path, r)[f"dot_{r}"][0]
        for r in ("separate", "fused")
    }
    assert found["separate"].tobytes().hex() == "00000000"
    assert found["fused"].view(np.uint32) == 0x33800000


def test_subnormals_are_kept(tmp_path: Path) -> None:
    tiny = np.array([1e-40, -1e-45, 3e-39], np.float32)
    cases = {
        "half": case(lambda x: x * np.float32(0.5), tiny),
        "sum": case(jnp.sum, tiny),
        "dot": case(jnp.dot, tiny, np.ones(3, np.float32)),
        "exp": case(jnp.exp, np.array([-100.0], np.float32)),
    }
    found = run(cases, tmp_path)
    assert found["half"][0].tolist() == (tiny * np.float32(0.5)).tolist()
    assert found["sum"][0] == tiny.astype(np.float64).sum().astype(np.float32) != 0
    assert found["dot"][0] == found["sum"][0]
    assert found["exp"][0][0] == np.float32(np.exp(-100.0)) != 0


def _patch(padded: np.ndarray, row: int, column: int) -> np.ndarray:
    """k runs over (kernel row, kernel column, channel)."""
    return padded[row : row + 3, column : column + 3].reshape(-1)


@pytest.mark.parametrize("rounding", ["separate", "fused"])
def test_convolutions(rounding: str, tmp_path: Path) -> None:
    x, w, back = _wild(2, 6, 5, 30), _wild(3, 3, 30, 4), _wild(2, 6, 5, 4)

    def forward(x: jnp.ndarray, w: jnp.ndarray) -> jnp.ndarray:
        numbers = ("NHWC", "HWIO", "NHWC")
        return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers)

    def kernel_gradient(x: jnp.ndarray, w: jnp.ndarray, back: jnp.ndarray) -> jnp.ndarray:
        return jax.vjp(lambda w: forward(x, w), w)[1](back)[0]

    cases = {"forward": case(forward, x, w), "gradient": case(kernel_gradient, x, w, back)}
    found = {name: result for name, (result,) in run(cases, tmp_path, rounding).items()}
    padded = np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)))
    for n, row, column, feature in ((0, 0, 0, 0), (1, 5, 4, 3), (1, 2, 3, 1)):
        expected = model.contraction(_patch(padded[n], row, column), w[..., feature].reshape(-1), rounding)
        assert found["forward"][n, row, column, feature] == expected
    for row, column, channel, feature in ((0, 0, 0, 0), (2, 1, 29, 3)):
        walked = padded[:, row : row + 6, column : column + 5, channel].reshape(-1)  # (sample, row, column)
        expected = model.contraction(walked, back[..., feature].reshape(-1), rounding)
        assert found["gradient"][row, column, channel, feature] == expected
