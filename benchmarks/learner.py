"""Learners on one core: matrix products against NumPy's OpenBLAS, training steps against JAX, in turn.

    python benchmarks/learner.py [--core 0] [--turns 7] [--only product|training]

JSON lines on standard output: microseconds of one product, or of one step of an executable's whole run.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import optax
from peers.models import MODELS, RATE

import alpha_build as ab
from alpha_build import paths
from alpha_build.build.bind import bind
from alpha_build.build.build import build
from alpha_build.learner.lower.contraction import workspace
from alpha_build.learner.lower.extent import extent

PEERS = Path(__file__).with_name("peers")
SIZES = (512, 1024)
FORMS = {"AVX-512": "SkylakeX", "AVX2": "Haswell"}  # and what OpenBLAS calls them
STEPS = {"linear 10,000 x 64": 5000, "mlp 784-128-10, batch 256": 500, "mlp 784-128-10, batch 8,192": 20}
Seconds = tuple[list[float], list[float]]  # of each: by the clock, of the processor
Turn = Callable[[], Seconds]


class Worker:
    """A peer in a process of its own that does so many on being told, and says how long each took."""

    def __init__(self, script: str, argument: str, count: int, **environment: str) -> None:
        self.count = count
        self.process = subprocess.Popen(
            [sys.executable, str(PEERS / script), argument], text=True, env={**os.environ, **environment},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def turn(self) -> Seconds:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{self.count}\n")
        self.process.stdin.flush()
        walls, spent = json.loads(self.process.stdout.readline())
        return walls, spent

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def in_turn(turns: int, systems: dict[str, Turn], size: int, first: str, peer: str, members: int = 1) -> None:
    """A B A B; a line each, and the ratio of the first to its peer."""
    walls: dict[str, list[float]] = {name: [] for name in systems}
    spent: dict[str, list[float]] = {name: [] for name in systems}
    for turn in range(turns + 1):
        for name, system in systems.items():
            each, processor = system()
            if turn:  # the first one warms up
                walls[name] += each
                spent[name] += processor
    for name in systems:
        line = {"system": name, "n": members, "bytes": size}
        line |= {"median_us": _us(statistics.median(walls[name])), "min_us": _us(min(walls[name]))}
        line |= {"cpu_us": _us(statistics.median(spent[name])), "iters": len(walls[name])}
        if name == first:
            line["ratio"] = round(statistics.median(walls[first]) / statistics.median(walls[peer]), 2)
        print(json.dumps(line), flush=True)
    ratios = {
        "median": statistics.median(walls[peer]) / statistics.median(walls[first]),
        "best": min(walls[peer]) / min(walls[first]),
        "processor": statistics.median(spent[peer]) / statistics.median(spent[first]),
        "best processor": min(spent[peer]) / min(spent[first]),
    }
    told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    print(f"{first}: times the speed of {peer}: {told}", file=sys.stderr)


def _us(seconds: float) -> float:
    return round(1e6 * seconds, 1)


def products(turns: int, folder: Path) -> None:
    cpp = paths.runtime() / "cpp"
    library = folder / "product.so"
    flags = [
        "-std=c++20",
        "-O2",
        "-march=x86-64-v3",
        "-ffp-contract=off",
        "-fno-math-errno",
        "-shared",
        "-fPIC",
    ]
    sources = [str(PEERS / "product.cpp"), str(cpp / "learner" / "matrix.cpp")]
    subprocess.run(["g++", *flags, f"-I{cpp}", *sources, "-o", str(library)], check=True)
    product = ctypes.CDLL(str(library)).product
    has = Path("/proc/cpuinfo").read_text()
    for size in SIZES:
        for form, core in FORMS.items():
            if form == "AVX-512" and "avx512vl" not in has:
                continue
            count = 4 * (1024 // size) ** 3
            worker = Worker(
                "blas_worker.py", str(size), count, OPENBLAS_CORETYPE=core, OPENBLAS_NUM_THREADS="1"
            )
            ours = _product(product, form == "AVX-512", size, count)
            systems: dict[str, Turn] = {
                f"product {size}, {form}": ours,
                f"OpenBLAS {size}, {core}": worker.turn,
            }
            in_turn(turns, systems, 4 * size * size, *systems)
            worker.close()


def _product(function: Callable[..., None], wide: bool, size: int, count: int) -> Turn:
    random = np.random.default_rng(0)
    left, right = (random.normal(size=(size, size)).astype(np.float32) for _ in range(2))
    result = np.empty_like(left)
    space = np.empty(workspace(extent(size), extent(size), extent(size)) + 16, np.float32)
    start = space.ctypes.data + -space.ctypes.data % 64
    pointers = [ctypes.c_void_p(a) for a in (left.ctypes.data, right.ctypes.data, result.ctypes.data, start)]
    kept = (left, right, result, space)

    def turn() -> Seconds:
        assert kept
        walls, spent = [], []
        for _ in range(count):
            begin, busy = time.perf_counter(), time.process_time()
            function(wide, ctypes.c_uint64(size), *pointers)
            spent.append(time.process_time() - busy)
            walls.append(time.perf_counter() - begin)
        return walls, spent

    return turn


def made(name: str, members: int, steps: int, folder: Path) -> Path:
    """Executables that train a model so long, each member on its share of every batch."""
    model = MODELS[name]()
    learner = ab.Learner(
        model.loss, state=model.state, optimizer=optax.sgd(RATE), samples=model.samples,
        batch=len(model.samples[0]), rounds=steps,
    )  # fmt: skip
    topology = ab.Pair() if members == 2 else ab.Star()
    contract = ab.Contract(order="tree", rounding="fused")
    system = ab.System(name="one", members=members, topology=topology, learner=learner, contract=contract)
    out = folder / f"{len(model.samples[0])}-{members}-{steps}"
    build(system, out)
    bind(out)
    return out


def sample_bytes(name: str) -> int:
    return sum(array.nbytes for array in MODELS[name]().samples)


def training(turns: int, folder: Path) -> None:
    for name, steps in STEPS.items():
        out = made(name, 1, steps, folder)
        executable = out / json.loads((out / "manifest.json").read_text())["roles"][0]["file"]
        worker = Worker("jax_worker.py", name, steps)
        systems: dict[str, Turn] = {
            name: partial(whole_run, partial(_alone, executable), steps),
            f"JAX, {name}": worker.turn,
        }
        in_turn(turns, systems, sample_bytes(name), *systems)
        worker.close()


def _alone(executable: Path, *arguments: str) -> None:
    subprocess.run([str(executable), *arguments], check=True, capture_output=True)


def whole_run(start: Callable[..., object], steps: int) -> Seconds:
    """From the first spawn to the last exit, divided by the steps; `start` gets the roles' arguments."""
    with tempfile.TemporaryDirectory() as state:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        start("--state", f"{state}/state")
        wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [wall / steps], [spent / steps]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--only", choices=("product", "training"))
    given = parser.parse_args(arguments)
    os.sched_setaffinity(0, {given.core})  # what is started here inherits it
    with tempfile.TemporaryDirectory() as folder:
        if given.only != "training":
            products(given.turns, Path(folder))
        if given.only != "product":
            training(given.turns, Path(folder))


if __name__ == "__main__":
    main()
