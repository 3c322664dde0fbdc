"""Bytes that one core adds to a sum in a second, for each element type, in cache and in memory."""

from __future__ import annotations

import functools
import json
import statistics
import time
from collections.abc import Callable

import numpy as np

from alpha_build import _native

SIZES = (1 << 18, 1 << 24)  # bytes of the sum; the second is larger than a core's caches
ELEMENTS = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}
NARROW = ("bf16", "f16")
TURNS = 9


def rate(work: Callable[[], object], size: int) -> float:
    """GB/s of a few milliseconds."""
    repeats = max(1, (1 << 26) // size)
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    return 1e-9 * size * repeats / (time.perf_counter() - start)


def say(what: str, size: int, ours: Callable[[], object], numpy: Callable[[], object] | None = None) -> None:
    """A line; NumPy, which leaves NaNs as they come, takes its turns between ours."""
    own, other = [], []
    for _ in range(TURNS):
        own.append(rate(ours, size))
        if numpy is not None:
            other.append(rate(numpy, size))
    line = {"system": what, "bytes": size, "GBps": round(statistics.median(own), 2)}
    line["best_GBps"] = round(max(own), 2)
    if numpy is not None:
        theirs = statistics.median(other)
        line |= {"peer": f"NumPy {what}", "peer_GBps": round(theirs, 2)}
        line["ratio"] = round(statistics.median(own) / theirs, 2)
    print(json.dumps(line), flush=True)


def main() -> None:
    for size in SIZES:
        for name, dtype in ELEMENTS.items():
            total = np.zeros(size // np.dtype(dtype).itemsize, dtype)
            addend = np.ones_like(total)
            parts = [total.view(np.uint8), addend.view(np.uint8)]
            peer = functools.partial(np.add, total, addend, out=total)
            say(f"add {name}", size, functools.partial(_native.tree, name, parts, 1), peer)
        wide, narrow = np.zeros(size, np.uint8), np.zeros(size // 2, np.uint8)
        for name in NARROW:
            say(f"widen {name}", size, functools.partial(_native.widen, name, wide, narrow))


if __name__ == "__main__":
    main()
