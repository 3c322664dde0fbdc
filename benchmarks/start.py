"""From nothing to the first step: a pair's whole run of one sum, its memory, a worker's bytes on disk."""

from __future__ import annotations

import json
import os
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
        alone, pair, resident = [], [], 0
        for _ in range(RUNS):
            start = time.perf_counter()
            process = subprocess.Popen([str(files[0]), "--version"], stdout=subprocess.DEVNULL)
            _, _, used = os.wait4(process.pid, 0)
            process.returncode = 0
            alone.append(1e6 * (time.perf_counter() - start))
            start = time.perf_counter()
            launch(Path(folder), 2)
            pair.append(1e6 * (time.perf_counter() - start))
            resident = max(resident, used.ru_maxrss)
        for name, walls in (("process", alone), ("pair from spawn to exit", pair)):
            line = {
                "system": name,
                "median_us": round(statistics.median(walls), 1),
                "min_us": round(min(walls), 1),
            }
            print(json.dumps(line | {"iters": RUNS}), flush=True)
        print(json.dumps({"system": "executable", "bytes": files[0].stat().st_size, "resident_kb": resident}))


if __name__ == "__main__":
    main()
