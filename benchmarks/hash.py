"""Bytes that one core hashes in a second: payload digests in lanes against one stream of OpenSSL's."""

from __future__ import annotations

import hashlib
import json
import random
import statistics
import time
from collections.abc import Callable

from alpha_build.frame import payload_digest

SIZES = (1024, 4096, 65536, 1 << 20, 1 << 24)
TURNS = 9


def rate(work: Callable[[bytes], object], data: bytes) -> float:
    """GB/s, the median of a few repetitions that take about 10 ms each."""
    repeats = max(1, (1 << 25) // (len(data) + 4096))
    walls = []
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(repeats):
            work(data)
        walls.append(time.perf_counter() - start)
    return 1e-9 * len(data) * repeats / statistics.median(walls)


def main() -> None:
    for size in SIZES:
        data = random.Random(size).randbytes(size)
        ours, theirs = [], []
        for _ in range(TURNS):  # in turn, so that both meet the same neighbours
            ours.append(rate(payload_digest, data))
            theirs.append(rate(lambda each: hashlib.sha256(each).digest(), data))
        ratio = statistics.median(own / other for own, other in zip(ours, theirs, strict=True))
        line = {"system": "payload digest", "bytes": size, "GBps": round(statistics.median(ours), 2)}
        line |= {
            "best_GBps": round(max(ours), 2),
            "peer": "OpenSSL, one stream",
            "peer_GBps": round(statistics.median(theirs), 2),
        }
        print(json.dumps(line | {"ratio": round(ratio, 2)}), flush=True)


if __name__ == "__main__":
    main()
