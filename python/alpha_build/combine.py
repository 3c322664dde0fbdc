"""Ordered sums in this process, with the bits of executables: NumPy on the host, CuPy on the GPU.

Values have one shape and type: float32, float64, int32, int64, or bfloat16 and float16, which are widened
and summed in float32.  The arguments are not changed.  A NaN that an addition or division makes is the
canonical one.
`docs/contract.md` has the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alpha_build import _device, _native
from alpha_build.buffers import element_of, host_array, host_bytes, is_device
from alpha_build.system.errors import ContractFailure

__all__ = ["canonical", "sequence", "tree"]

NARROW = {"bf16": np.dtype(np.float32), "f16": np.dtype(np.float32)}


def tree(values: Sequence[Any], *, fanout: int = 8, denominator: float | None = None) -> Any:
    """The sum in order `tree`: each member's own value, then each child's subtotal in child order.

    Args:
        values: members' contributions in preorder; None for a member that contributes nothing.
        fanout: children a node at most; 1 is a chain, `len(values) - 1` a star.
        denominator: of the mean: one division after the last addition; None: the sum.
    """
    if not isinstance(fanout, int) or fanout < 1:
        raise ContractFailure(f"a fan-out is a whole number from 1, not {fanout!r}", kind="fanout")
    element, shape = _agreed(values, denominator)
    if any(is_device(value) for value in values):
        return _device.tree(values, fanout, element, denominator)
    return _summed(values, element, shape, denominator, lambda name, parts: _native.tree(name, parts, fanout))


def sequence(values: Sequence[Any], *, denominator: float | None = None) -> Any:
    """The sum in order `sequence`: ((value 0 + value 1) + value 2) + ...; arguments as in `tree`."""
    return tree(values, fanout=max(1, len(values) - 1), denominator=denominator)


def canonical(values: Sequence[Any], *, denominator: float | None = None) -> Any:
    """The sum in order `canonical`: neighbours pairwise, level by level, whoever held the blocks.

    Args:
        values: each block's sum, in sample order; none is None.
        denominator: as in `tree`.
    """
    element, shape = _agreed(values, denominator)
    if any(value is None for value in values):
        raise ContractFailure("a block is None; every block of a batch has a sum", kind="values")
    if any(is_device(value) for value in values):
        return _device.canonical(values, element, denominator)
    return _summed(values, element, shape, denominator, _native.canonical)


def _agreed(values: Sequence[Any], denominator: float | None) -> tuple[str, tuple[int, ...]]:
    """Element and shape that all values have, on one kind of memory, and that may be divided."""
    present = [value for value in values if value is not None]
    if not present:
        raise ContractFailure("there is no value to add", kind="values")
    seen = {(value.dtype.name, tuple(value.shape), is_device(value)) for value in present}
    if len(seen) != 1:
        kinds = sorted(
            f"{dtype}{list(shape)}{' (device)' if device else ''}" for dtype, shape, device in seen
        )
        raise ContractFailure(
            f"values differ: {', '.join(kinds)}",
            kind="values",
            hint="give arrays of one type, shape and memory",
        )
    element = element_of(np.dtype(present[0].dtype))
    if element == "bytes":
        raise ContractFailure("bytes cannot be added", kind="element")
    if denominator is not None:
        _require_mean(element, denominator)
    return element, tuple(present[0].shape)


def _summed(
    values: Sequence[Any],
    element: str,
    shape: tuple[int, ...],
    denominator: float | None,
    fold: Callable[[str, list[NDArray[np.uint8] | None]], int | None],
) -> NDArray[Any]:
    parts = [None if value is None else _copied(value, element) for value in values]
    total_element = "f32" if element in NARROW else element
    position = fold(total_element, [None if part is None else host_bytes(part) for part in parts])
    assert position is not None, "someone contributed"
    total = parts[position]
    assert total is not None
    if denominator is not None:
        _native.divide(total_element, host_bytes(total), denominator)
    return total.reshape(shape)


def _copied(value: Any, element: str) -> NDArray[Any]:
    """A contribution of our own, which the combine may overwrite, widened where it accumulates in f32."""
    array = host_array(value)
    if element not in NARROW:
        return np.array(array, order="C", copy=True)
    widened = np.empty(array.shape, NARROW[element])
    _native.widen(element, host_bytes(widened), host_bytes(np.ascontiguousarray(array)))
    return widened


def _require_mean(element: str, denominator: float) -> None:
    """Refuse a mean of integers, and a denominator that is not positive and finite."""
    if element in ("i32", "i64"):
        raise ContractFailure("integers have no mean", kind="normalization", hint="use the sum")
    if not (denominator > 0 and np.isfinite(denominator)):
        raise ContractFailure(
            f"a denominator is positive and finite, not {denominator}", kind="normalization"
        )
