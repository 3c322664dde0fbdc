"""All artifacts of a learner with 10,000 roles: once with the compiler, then as stamped copies alone."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from pathlib import Path

from alpha_build.build.build import build

MEMBERS = 10_000
BUILDS = 3  # after the first, with nothing to compile

SYSTEM = f"""\
import numpy as np, optax
import alpha_build as ab
x = np.random.default_rng(0).normal(size=({MEMBERS}, 4)).astype(np.float32)
y = x @ np.arange(4, dtype=np.float32)
def loss(params, x, y):
    return (x @ params["w"] - y) ** 2
system = ab.System(
    name="fleet", members={MEMBERS}, topology=ab.Tree(fanout=20),
    learner=ab.Learner(loss, state={{"w": np.zeros(4, np.float32)}}, optimizer=optax.sgd(0.05),
        samples=(x, y), rounds=3),
)
"""


def seconds(system: Path, out: Path) -> tuple[float, float]:
    """The whole build, and the stamping alone."""
    stamping = 0.0

    def progress(stage: str, done: int, total: int) -> None:
        nonlocal stamping
        if stage == "stamp" and done == 1:
            stamping = time.perf_counter()

    start = time.perf_counter()
    build(str(system), out, progress=progress)
    end = time.perf_counter()
    return end - start, end - stamping


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        system, out = Path(folder) / "fleet.py", Path(folder) / "dist"
        system.write_text(SYSTEM)
        first, _ = seconds(system, out)
        again, stamped = zip(*(seconds(system, out) for _ in range(BUILDS)), strict=True)
        total_bytes = sum(path.stat().st_size for path in out.glob("fleet.role-*"))
    for name, runs in (("build, compiling", [first]), ("build again", again), ("stamping", stamped)):
        figures = {"median_us": round(1e6 * statistics.median(runs)), "min_us": round(1e6 * min(runs))}
        print(json.dumps({"system": name, "n": MEMBERS, "bytes": total_bytes, **figures, "iters": len(runs)}))


if __name__ == "__main__":
    main()
