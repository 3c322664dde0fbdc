"""From nothing to the first step: a pair's whole run of one sum, and a worker's bytes on disk."""

from __future__ import annotations

import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from peers.own import launch, system

from alpha_build.build.build import build

RUNS = 41


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        build(system(2, "pair", {4: 1}), folder)
        files = sorted(Path(folder).glob("*.role-*"))
        alone, pair = [], []
        for _ in range(RUNS):
            start = time.perf_counter()
            subprocess.run([str(files[0]), "--version"], check=True, stdout=subprocess.DEVNULL)
            alone.append(1e6 * (time.perf_counter() - start))
            start = time.perf_counter()
            launch(Path(folder), 2)
            pair.append(1e6 * (time.perf_counter() - start))
        for name, walls in (("process", alone), ("pair from spawn to exit", pair)):
            line = {
                "system": name,
                "median_us": round(statistics.median(walls), 1),
                "min_us": round(min(walls), 1),
            }
            print(json.dumps(line | {"iters": RUNS}), flush=True)
        print(json.dumps({"system": "executable", "bytes": files[0].stat().st_size}))


if __name__ == "__main__":
    main()
