"""NumPy's types under the names that safetensors files give them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # emitting a protocol of one's own takes no array
    import numpy as np

TENSOR_NAMES = {
    "float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "bool": "BOOL",
    "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64",
    "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64",
}  # fmt: skip
_DTYPES = {tensor: dtype for dtype, tensor in TENSOR_NAMES.items()}


def tensor_dtype(name: str) -> np.dtype[Any]:
    """The type of a safetensors name, little-endian; KeyError for one that no state or sample has."""
    import numpy as np

    if name == "BF16":  # NumPy knows it once this is imported
        import ml_dtypes  # noqa: F401
    return np.dtype(_DTYPES[name]).newbyteorder("<")
