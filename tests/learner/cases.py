"""One or more cases for every row of the lowering table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from learner.programs import Case, case

_RNG = np.random.default_rng(5)
SPECIAL = np.array(
    [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3e37, -3e37, 1e-30, np.inf, -np.inf, np.nan], dtype=np.float32
)
INTEGERS = np.array([0, 1, -1, 2, -7, 31, 32, 40, 2**31 - 1, -(2**31)], dtype=np.int32)


def normal(*shape: int) -> np.ndarray:
    return _RNG.normal(size=shape).astype(np.float32)


def whole(*shape: int, low: int = -50, high: int = 50) -> np.ndarray:
    return _RNG.integers(low, high, size=shape).astype(np.int32)


def _pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Every value against every value."""
    left, right = np.meshgrid(values, values)
    return np.ascontiguousarray(left), np.ascontiguousarray(right)


def _binary(function: Callable[..., Any], *kinds: str) -> dict[str, Case]:
    found = {}
    for kind in kinds or ("f", "i"):
        values = {
            "f": SPECIAL,
            "i": INTEGERS,
            "u": INTEGERS.astype(np.uint32),
            "s": np.array([0, 1, -1, 127, -128, 7], np.int8),
            "b": np.array([True, False]),
            "d": SPECIAL.astype(np.float64),
        }[kind]
        found[kind] = case(function, *_pairs(values))
    return found


def _named(name: str, cases: dict[str, Case]) -> dict[str, Case]:
    return {f"{name}_{kind}": each for kind, each in cases.items()}


# Rows whose bits JAX shares: one rounding an element, or none.
EXACT: dict[str, dict[str, Case]] = {
    "add": _binary(lax.add, "f", "i", "u", "s"),
    "sub": _binary(lax.sub, "f", "i", "u"),
    "mul": _binary(lax.mul, "f", "i", "s"),
    "div": _binary(lax.div, "f", "i", "u", "s"),
    "rem": _binary(lax.rem, "i", "u", "s"),
    "max": _binary(lax.max, "f", "i", "b"),
    "min": _binary(lax.min, "f", "i", "b"),
    "eq": _binary(lax.eq, "f", "i", "b"),
    "ne": _binary(lax.ne, "f", "i"),
    "lt": _binary(lax.lt, "f", "i", "u"),
    "le": _binary(lax.le, "f", "i"),
    "gt": _binary(lax.gt, "f", "i"),
    "ge": _binary(lax.ge, "f", "i"),
    "and": _binary(lax.bitwise_and, "i", "b", "s"),
    "or": _binary(lax.bitwise_or, "i", "b"),
    "xor": _binary(lax.bitwise_xor, "i", "b"),
    "not": {k: case(lax.bitwise_not, v) for k, v in {"i": INTEGERS, "b": np.array([True, False])}.items()},
    "shift_left": _binary(lax.shift_left, "i", "u"),
    "shift_right_logical": _binary(lax.shift_right_logical, "i", "u"),
    "shift_right_arithmetic": _binary(lax.shift_right_arithmetic, "i", "u"),
    "neg": {"f": case(lax.neg, SPECIAL), "i": case(lax.neg, INTEGERS)},
    "abs": {"f": case(lax.abs, SPECIAL), "i": case(lax.abs, INTEGERS)},
    "sign": {"f": case(lax.sign, SPECIAL), "i": case(lax.sign, INTEGERS)},
    "floor": {"f": case(lax.floor, np.concatenate([SPECIAL, normal(50) * 9]))},
    "ceil": {"f": case(lax.ceil, np.concatenate([SPECIAL, normal(50) * 9]))},
    "is_finite": {"f": case(lax.is_finite, SPECIAL)},
    "square": {"f": case(lax.square, normal(7)), "i": case(lax.square, INTEGERS)},
    "sqrt": {"f": case(lax.sqrt, np.concatenate([SPECIAL, abs(normal(50))]))},
    "clamp": {
        "f": case(lambda x: lax.clamp(np.float32(-1), x, np.float32(1)), SPECIAL),
        "i": case(lambda x: lax.clamp(np.int32(-3), x, np.int32(30)), INTEGERS),
    },
    "integer_pow": {
        f"y{abs(y)}{'m' if y < 0 else ''}": case(lambda x, y=y: lax.integer_pow(x, y), normal(9))
        for y in (0, 2, 3, 5, -1)
    },
    "select_n": {
        "b": case(lax.select_n, np.array([True, False, True]), normal(3), normal(3)),
        "i": case(lax.select_n, np.array([0, 2, 1], np.int32), normal(3), normal(3), normal(3)),
        "s": case(lambda p, x, y: lax.select_n(p, x, y), np.True_, normal(2, 3), normal(2, 3)),
    },
    "convert_element_type": {
        "fi": case(
            lambda x: lax.convert_element_type(x, np.int32),
            np.append(SPECIAL, [2.0**31, 2.7, -2.7]).astype(np.float32),
        ),
        "fu": case(
            lambda x: lax.convert_element_type(x, np.uint8), np.array([-1, 0, 3.9, 300, np.nan], np.float32)
        ),
        "if": case(lambda x: lax.convert_element_type(x, np.float32), INTEGERS),
        "is": case(lambda x: lax.convert_element_type(x, np.int8), INTEGERS),
        "fb": case(lambda x: lax.convert_element_type(x, np.bool_), SPECIAL),
        "bf": case(lambda x: lax.convert_element_type(x, np.float32), np.array([True, False])),
    },
    "broadcast_in_dim": {
        "a": case(lambda x: lax.broadcast_in_dim(x, (2, 3, 4), (1,)), normal(3)),
        "b": case(lambda x: lax.broadcast_in_dim(jnp.sin(x) * 0 + x, (3, 4), (0, 1)), normal(3, 1)),
        "c": case(lambda x: jnp.broadcast_to(x, (2, 2)), np.float32(3)),
    },
    "reshape": {
        "merge": case(lambda x: x.reshape(6, 4) + 1, normal(2, 3, 4)),
        "split": case(lambda x: x.T.reshape(2, 2, 3), normal(3, 4)),
        "broadcast": case(lambda x: jnp.broadcast_to(x, (3, 2, 2)).reshape(3, 4) * 2, normal(2, 2)),
        "empty": case(lambda x: x.reshape(0, 3), normal(1, 0, 2)),
    },
    "squeeze": {"a": case(lambda x: lax.squeeze(x, (0, 2)) + 1, normal(1, 3, 1))},
    "expand_dims": {"a": case(lambda x: jnp.expand_dims(x, (0, 2)) + 1, normal(3))},
    "transpose": {"a": case(lambda x: x.transpose(2, 0, 1) * 2, normal(2, 3, 4))},
    "rev": {"a": case(lambda x: lax.rev(x, (0, 2)), normal(2, 3, 4))},
    "slice": {
        "a": case(lambda x: x[1:3, ::2] - 1, normal(4, 5)),
        "b": case(lambda x: lax.rev(x[1:3], (0, 1))[:, 1:], normal(4, 5)),
    },
    "iota": {
        "a": case(lambda x: x + lax.broadcasted_iota(np.int32, (3, 4), 1), whole(3, 4)),
        "b": case(lambda x: x + jnp.arange(6, dtype=np.float32)[::-2], normal(3)),
    },
    "split": {"a": case(lambda x: [p * 2 for p in jnp.split(x, [1, 3], axis=1)], normal(2, 5))},
    "concatenate": {
        "a": case(lambda x, y: jnp.concatenate([x, y * 2, x], axis=1), normal(2, 3), normal(2, 1)),
        "b": case(lambda x: jnp.concatenate([x, x]), normal(0)),
    },
    "pad": {
        "a": case(lambda x: lax.pad(x, np.float32(7), ((1, 2, 1), (0, 1, 0))), normal(3, 2)),
        "cut": case(lambda x: lax.pad(x, np.float32(7), ((-1, 2, 0), (0, -1, 2))), normal(3, 2)),
        "cut2": case(lambda x: lax.pad(x, np.float32(7), ((-2, -3, 1),)), normal(6)),
    },
    "dynamic_slice": {
        f"at{i}": case(lambda x, i: lax.dynamic_slice(x, (i, 1), (2, 3)) + 1, normal(4, 5), np.int32(s))
        for i, s in enumerate((0, 1, 9, -5))
    },
    "dynamic_update_slice": {
        f"at{i}": case(
            lambda x, y, i: lax.dynamic_update_slice(x, y, (i, i)), normal(4, 5), normal(2, 2), np.int32(s)
        )
        for i, s in enumerate((0, 2, 9, -5))
    },
    "reduce_max": {
        "a": case(lambda x: jnp.max(x, 1), normal(5, 40)),
        "b": case(lambda x: jnp.max(x, 0), normal(40, 17)),
        "nan": case(jnp.max, np.array([1, np.nan, 3, 4], np.float32)),
        "zero": case(jnp.max, np.array([-0.0, 0.0, -0.0], np.float32)),
        "i": case(lambda x: jnp.max(x, (0, 2)), whole(3, 4, 5)),
    },
    "reduce_min": {
        "a": case(lambda x: jnp.min(x, 0), normal(5, 40)),
        "nan": case(jnp.min, np.array([1, 2, np.nan, 4], np.float32)),
        "i": case(jnp.min, whole(33)),
    },
    "reduce_and": {"a": case(lambda x: jnp.all(x, 1), np.array([[True, False], [True, True]]))},
    "reduce_or": {"a": case(lambda x: jnp.any(x, 0), np.array([[True, False], [False, False]]))},
    "reduce_sum": {"i": case(lambda x: jnp.sum(x, 0), whole(50, 9)), "wrap": case(jnp.sum, INTEGERS)},
    "reduce_prod": {"i": case(jnp.prod, whole(20, low=-9, high=9))},
    "argmax": {
        "tie": case(lambda x: jnp.argmax(x, 1), np.array([[1, 3, 3], [5, 5, 1]], np.float32)),
        "nan": case(jnp.argmax, np.array([1, np.nan, 9, np.nan], np.float32)),
        "a": case(lambda x: lax.argmax(x, 0, np.int32), normal(40, 3)),
        "zero": case(jnp.argmax, np.array([-0.0, 0.0], np.float32)),
    },
    "argmin": {
        "tie": case(jnp.argmin, whole(40, low=0, high=3)),
        "nan": case(jnp.argmin, np.array([1, np.nan, 0], np.float32)),
    },
    "cumsum": {
        "i": case(lambda x: lax.cumsum(x, 1), whole(3, 20)),
        "back": case(lambda x: lax.cumsum(x, 0, reverse=True), whole(7, 3)),
    },
    "cumprod": {"i": case(lambda x: lax.cumprod(x, 0), whole(9, 2, low=-4, high=4))},
    "cummax": {"a": case(lambda x: lax.cummax(x, 0), normal(9, 2))},
    "cummin": {"a": case(lambda x: lax.cummin(x, 1), normal(2, 9))},
    "dot_general": {
        "i": case(lambda x, y: x @ y, whole(5, 7), whole(7, 3)),
        "ib": case(lambda x, y: jnp.einsum("bij,bkj->bik", x, y), whole(2, 3, 4), whole(2, 5, 4)),
    },
    "gather": {
        "l2": case(lambda w: w[np.array([0, 7, -1, -9])], np.arange(12, dtype=np.float32).reshape(4, 3)),
        "take": case(
            lambda w: jnp.take(w, np.array([7, 1]), axis=0), np.arange(12, dtype=np.float32).reshape(4, 3)
        ),
        "clip": case(lambda w, i: w.at[i].get(mode="clip"), normal(5, 2), np.array([-9, 2, 99], np.int32)),
        "fill": case(
            lambda w, i: w.at[:, i].get(mode="fill", fill_value=3), whole(5, 4), np.array([1, 99], np.int32)
        ),
        "two": case(lambda w, i, j: w[i, j], normal(4, 5), np.array([0, 3]), np.array([[4], [2]])),
        "along": case(
            lambda w, i: jnp.take_along_axis(w, i, 1), normal(3, 4), np.array([[0, 3], [1, 1], [2, 0]])
        ),
        "batch": case(jax.vmap(lambda w, i: w[i]), normal(3, 4), np.array([0, 5, -1])),
    },
    "scatter": {
        "last": case(
            lambda x, i: x.at[i].set(np.array([1, 2, 3], np.float32)),
            normal(4),
            np.array([2, 2, 9], np.int32),
        ),
        "rows": case(lambda x, y: x.at[np.array([1, 0])].set(y), normal(3, 4), normal(2, 4)),
    },
    "scatter-add": {
        "i": case(lambda x, i: x.at[i].add(np.int32(5)), whole(4), np.array([0, 0, -1, 7, -9], np.int32)),
        "l2": case(
            jax.grad(lambda w: jnp.sum(w[np.array([0, 7, -1, -9])])),
            np.arange(12, dtype=np.float32).reshape(4, 3),
        ),
        "batch": case(jax.vmap(lambda x, i: x.at[i].add(1)), whole(3, 4), np.array([0, 5, 2])),
    },
    "scatter-sub": {
        "i": case(lambda x, i: x.at[i].subtract(np.int32(5)), whole(4), np.array([0, 0, 3], np.int32))
    },
    "scatter-mul": {
        "i": case(lambda x, i: x.at[i].multiply(np.int32(5)), whole(4), np.array([0, 0, 3], np.int32))
    },
    "scatter-max": {
        "f": case(lambda x, i: x.at[i].max(np.float32(0.5)), normal(4), np.array([0, 0, 3], np.int32))
    },
    "scatter-min": {
        "f": case(lambda x, i: x.at[i].min(np.float32(0.5)), normal(4), np.array([0, 0, 3], np.int32))
    },
}

# Where XLA's own approximation may be off by a few units in the last place; ours are correctly rounded.
_WIDE = np.concatenate([normal(3000) * 3, normal(1000) * 30, SPECIAL])
_UNIT = np.tanh(normal(500))
CLOSE: dict[str, dict[str, Case]] = {
    "exp": {"f": case(lax.exp, _WIDE)},
    "expm1": {"f": case(lax.expm1, _WIDE)},
    "log": {"f": case(lax.log, abs(_WIDE))},
    "log1p": {"f": case(lax.log1p, _WIDE)},
    "tanh": {"f": case(lax.tanh, _WIDE)},
    "logistic": {"f": case(lax.logistic, _WIDE)},
    "sin": {"f": case(lax.sin, _WIDE)},
    "cos": {"f": case(lax.cos, _WIDE)},
    "erf": {"f": case(lax.erf, _WIDE)},
    "exp2": {"f": case(lax.exp2, _WIDE)},
    "cbrt": {"f": case(lax.cbrt, _WIDE)},
    "tan": {"f": case(lax.tan, normal(500))},
    "asin": {"f": case(lax.asin, _UNIT)},
    "acos": {"f": case(lax.acos, _UNIT)},
    "atan": {"f": case(lax.atan, _WIDE)},
    "atan2": {"f": case(lax.atan2, normal(500), normal(500)), "edge": case(lax.atan2, *_pairs(SPECIAL))},
    "sinh": {"f": case(lax.sinh, normal(500))},
    "cosh": {"f": case(lax.cosh, normal(500))},
    "asinh": {"f": case(lax.asinh, normal(500))},
    "acosh": {"f": case(lax.acosh, 1 + abs(normal(500)))},
    "atanh": {"f": case(lax.atanh, _UNIT)},
    "erfc": {"f": case(lax.erfc, _WIDE)},
    "rsqrt": {"f": case(lax.rsqrt, abs(_WIDE))},
    "pow": {
        "f": case(lax.pow, abs(normal(500)), normal(500) * 4),
        "i": case(lambda x, n: lax.pow(x, n), normal(500), whole(500, low=-9, high=9)),
        "edge": case(lax.pow, *_pairs(SPECIAL)),
    },
    "rem": {"f": case(lax.rem, normal(500) * 9, normal(500))},
    "add_any": {"f": case(jax.grad(lambda x: jnp.sum(x * x * x + jnp.tanh(x))), normal(40))},
    "reduce_sum": {
        "rows": case(lambda x: jnp.sum(x, 1), normal(5, 5000)),
        "columns": case(lambda x: jnp.sum(x, 0), normal(300, 21)),
        "middle": case(lambda x: jnp.sum(x, (0, 2)), normal(6, 5, 70)),
        "fused": case(lambda x, y: jnp.sum(x * y, (1, 2)), normal(3, 9, 11), normal(3, 9, 1)),
        "all": case(jnp.sum, normal(3, 9, 11)),
    },
    "reduce_prod": {"f": case(lambda x: jnp.prod(x, 0), normal(9, 5))},
    "cumsum": {"f": case(lambda x: lax.cumsum(x, 0), normal(9, 5))},
    "cumprod": {"f": case(lambda x: lax.cumprod(x, 0), normal(9, 5))},
    "dot_general": {
        name: case(lambda x, y, spec=spec: jnp.einsum(spec, x, y), left, right)
        for name, spec, left, right in (
            ("mm", "ij,jk->ik", normal(13, 300), normal(300, 35)),
            ("mt", "ji,jk->ik", normal(300, 7), normal(300, 5)),
            ("tt", "ji,kj->ik", normal(20, 6), normal(33, 20)),
            ("mv", "ij,j->i", normal(70, 20), normal(20)),
            ("vm", "j,jk->k", normal(20), normal(20, 70)),
            ("vv", "j,j->", normal(600), normal(600)),
            ("outer", "i,j->ij", normal(9), normal(18)),
            ("batch", "bij,bjk->bik", normal(3, 4, 5), normal(3, 5, 6)),
            ("two", "ijk,kjl->il", normal(4, 3, 5), normal(5, 3, 2)),
            ("empty", "ij,jk->ik", normal(3, 0), normal(0, 2)),
        )
    },
}
