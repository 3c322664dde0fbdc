"""NumPy's OpenBLAS on one core: a size as the argument, a number of products a line; answers with seconds of
each, by the clock and of the processor."""

from __future__ import annotations

import json
import sys
import time

import numpy as np


def main() -> None:
    size = int(sys.argv[1])
    random = np.random.default_rng(0)
    left, right = (random.normal(size=(size, size)).astype(np.float32) for _ in range(2))
    result = np.empty_like(left)
    for line in sys.stdin:
        walls, spent = [], []
        for _ in range(int(line)):
            start, busy = time.perf_counter(), time.process_time()
            np.dot(left, right, out=result)
            spent.append(time.process_time() - busy)
            walls.append(time.perf_counter() - start)
        print(json.dumps([walls, spent]), flush=True)


if __name__ == "__main__":
    main()
