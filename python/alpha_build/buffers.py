"""Arrays and buffers as the C++ side takes them: contiguous host bytes, and element names of types."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from alpha_build.system.errors import ContractFailure

HOST = 1  # DLPack's number of a CPU
CUDA = 2  # and of a CUDA device

_ELEMENTS = {
    "float32": "f32",
    "float64": "f64",
    "int32": "i32",
    "int64": "i64",
    "bfloat16": "bf16",
    "float16": "f16",
    "uint8": "bytes",
}


def element_of(dtype: np.dtype[Any]) -> str:
    """The element name of a NumPy type ("f32"); bf16 is the `ml_dtypes` type.

    Raises:
        ContractFailure: no element is of this type, or its byte order is not little-endian.
    """
    name = _ELEMENTS.get(dtype.name)
    if name is None or dtype.byteorder == ">":
        raise ContractFailure(
            f"no element is of type {dtype.str if dtype.byteorder == '>' else dtype.name}",
            kind="element",
            hint=f"use little-endian {', '.join(_ELEMENTS)}",
        )
    return name


def is_device(value: object) -> bool:
    """Whether an array lies on a CUDA device (CuPy's, or any that speaks DLPack)."""
    device = getattr(value, "__dlpack_device__", None)
    return device is not None and int(device()[0]) == CUDA


def host_array(value: object) -> NDArray[Any]:
    """An array, or any buffer as bytes, in host memory; a device's is copied, a host's is not."""
    if is_device(value):
        copied: NDArray[Any] = importlib.import_module("cupy").from_dlpack(value).get()
        return copied
    if isinstance(value, np.ndarray):
        return value
    if hasattr(value, "__array__"):
        return np.asarray(value)
    return np.frombuffer(value, np.uint8)  # type: ignore[call-overload, no-any-return]


def host_bytes(value: object) -> NDArray[np.uint8]:
    """The bytes of a contiguous array or buffer, in host memory.

    Raises:
        ContractFailure: the array is not contiguous in row-major order.
    """
    array = host_array(value)
    if not array.flags.c_contiguous:
        raise ContractFailure(
            f"an array of shape {array.shape} is not contiguous",
            kind="contiguity",
            hint="pass numpy.ascontiguousarray(...) of it",
        )
    return array.reshape(-1).view(np.uint8)
