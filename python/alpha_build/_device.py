"""Ordered combines of CUDA arrays: the kernels of cpp/combine.cu, compiled for this GPU when first used."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

from alpha_build import paths
from alpha_build.system.errors import BuildFailure
from alpha_build.system.tree import ParticipantTree

_THREADS = 256  # a block
_GRID_MAX = 4096  # blocks; the kernels stride over the rest

_TYPES = {"f32": "float", "f64": "double", "i32": "alpha::i32", "i64": "alpha::i64"}
_NARROW = {"bf16": "alpha::Bf16", "f16": "alpha::F16"}
_ADD = {element: f"alpha::add_kernel<{name}>" for element, name in _TYPES.items()}
_DIVIDE = {element: f"alpha::divide_kernel<{_TYPES[element]}>" for element in ("f32", "f64")}
_WIDEN = {element: f"alpha::widen_kernel<{name}>" for element, name in _NARROW.items()}

KERNEL_NAMES = (*_ADD.values(), *_DIVIDE.values(), *_WIDEN.values())


def kernel_options() -> tuple[str, ...]:
    """Options of CUDA's run-time compiler: separate rounding, as everywhere."""
    return ("-std=c++17", "-fmad=false", f"-I{paths.runtime() / 'cpp'}")


def tree(values: Sequence[Any], fanout: int, element: str, denominator: float | None) -> Any:
    """As `combine.tree`, on the device of the values."""
    parts, total_element = _owned(values, element)
    shape = ParticipantTree(len(parts), fanout)

    def fold(position: int) -> Any:
        total = parts[position]
        for child in shape.children(position):
            subtotal = fold(child)
            total = (
                subtotal
                if total is None
                else total
                if subtotal is None
                else _add(total, subtotal, total_element)
            )
        return total

    return _divided(fold(0), total_element, denominator)


def canonical(values: Sequence[Any], element: str, denominator: float | None) -> Any:
    """As `combine.canonical`, on the device of the values."""
    level, total_element = _owned(values, element)
    while len(level) > 1:
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [_add(pair[0], pair[1], total_element) if len(pair) == 2 else pair[0] for pair in pairs]
    return _divided(level[0], total_element, denominator)


@functools.cache
def _cupy() -> Any:
    hint = "install alpha-build[cuda] on a machine with an NVIDIA GPU, or pass NumPy arrays"
    try:
        cupy = importlib.import_module("cupy")
        devices = cupy.cuda.runtime.getDeviceCount()
    except ImportError:
        raise BuildFailure(
            "CuPy is not installed, and a value lies on a GPU", kind="no-gpu", hint=hint
        ) from None
    except Exception as reason:  # CuPy's own class can only be named once it is imported
        raise BuildFailure(f"no GPU answers: {reason}", kind="no-gpu", hint=hint) from None
    if devices == 0:
        raise BuildFailure("no GPU is on this machine", kind="no-gpu", hint=hint)
    return cupy


@functools.cache
def _kernel(name: str, device: int) -> Any:
    """A kernel for the current device, of number `device`."""
    source = (paths.runtime() / "cpp" / "combine.cu").read_text(encoding="utf-8")
    module = _cupy().RawModule(code=source, options=kernel_options(), name_expressions=KERNEL_NAMES)
    return module.get_function(name)


def _launch(name: str, count: int, *arguments: Any) -> None:
    if count:
        grid = min((count + _THREADS - 1) // _THREADS, _GRID_MAX)
        _kernel(name, _cupy().cuda.Device().id)((grid,), (_THREADS,), arguments)


def _owned(values: Sequence[Any], element: str) -> tuple[list[Any], str]:
    """Contributions of our own, which the combine may overwrite, widened where it accumulates in f32."""
    cupy = _cupy()
    parts: list[Any] = []
    for value in values:
        if value is None:
            parts.append(None)
            continue
        array = cupy.ascontiguousarray(cupy.from_dlpack(value))
        if element in _WIDEN:
            part = cupy.empty(array.shape, cupy.float32)
            _launch(_WIDEN[element], array.size, part, array, cupy.uint64(array.size))
        else:
            part = array.copy()
        parts.append(part)
    return parts, "f32" if element in _WIDEN else element


def _add(total: Any, addend: Any, element: str) -> Any:
    _launch(_ADD[element], total.size, total, addend, _cupy().uint64(total.size))
    return total


def _divided(total: Any, element: str, denominator: float | None) -> Any:
    if denominator is not None:
        _launch(
            _DIVIDE[element], total.size, total, _cupy().uint64(total.size), total.dtype.type(denominator)
        )
    return total
