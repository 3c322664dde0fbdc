"""A role's samples as a file beside its executable: safetensors, so that any tool reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from alpha_build.build.stamp import SampleFile


def sample_file(
    name: str, samples: Sequence[np.ndarray] | None, evaluation: Sequence[np.ndarray] | None
) -> SampleFile | None:
    """The file of what is not None; None where neither is in it, or there is no byte to hold."""
    named = {
        f"{kind}/{index}": array
        for kind, arrays in (("samples", samples), ("evaluation", evaluation))
        for index, array in enumerate(arrays or ())
    }
    if not any(array.nbytes for array in named.values()):
        return None
    from safetensors.numpy import save

    data = save(named)
    begins = _begins(data)

    def offsets(kind: str, arrays: Sequence[np.ndarray] | None) -> tuple[int, ...] | None:
        return None if arrays is None else tuple(begins[f"{kind}/{index}"] for index in range(len(arrays)))

    return SampleFile(name, data, offsets("samples", samples), offsets("evaluation", evaluation))


def _begins(data: bytes) -> dict[str, int]:
    """Where each array begins, from the file's first byte; the format puts wider elements first."""
    header_bytes = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + header_bytes])
    return {name: 8 + header_bytes + part["data_offsets"][0] for name, part in header.items()}
