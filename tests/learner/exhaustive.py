"""All 2^32 inputs of each function of one f32 against doubles and quadruple precision: `make exhaustive`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

CPP = Path(__file__).resolve().parents[2] / "cpp"
SOURCE = Path(__file__).with_name("elementary.cpp")
# Of one f32, quick ones first.
NARROW = (
    "square_root", "exponential", "hyperbolic_tangent", "logistic", "logarithm", "logarithm_of_one_plus",
    "exponential_minus_one", "reciprocal_square_root", "error_function", "inverse_error_function", "sine",
    "cosine", "exponential_base_two", "arc_sine", "arc_cosine", "inverse_hyperbolic_tangent",
    "error_function_complement", "cube_root", "inverse_hyperbolic_cosine", "hyperbolic_sine",
    "hyperbolic_cosine", "arc_tangent", "inverse_hyperbolic_sine", "tangent",
)  # fmt: skip
# Of f64, and of two.
WIDE = (
    "exponential", "exponential_minus_one", "exponential_base_two", "logarithm", "logarithm_of_one_plus",
    "hyperbolic_tangent", "logistic", "reciprocal_square_root", "cube_root", "sine", "cosine", "tangent",
    "arc_sine", "arc_cosine", "arc_tangent", "hyperbolic_sine", "hyperbolic_cosine",
    "inverse_hyperbolic_sine", "inverse_hyperbolic_cosine", "inverse_hyperbolic_tangent", "error_function",
    "power", "power_f32", "arc_tangent_two",
)  # fmt: skip
_FLAGS = ("-std=c++20", "-O2", "-Wno-psabi", "-ffp-contract=off", "-fno-math-errno", f"-I{CPP}")
_PIECES = 64


def compile_checker(folder: Path, compiler: Sequence[str]) -> list[str]:
    """The command that checks a function; see elementary.cpp."""
    out = folder / "elementary"
    quad = ["-lquadmath"] if "aarch64" not in compiler[0] and os.uname().machine == "x86_64" else []
    sources = [str(SOURCE), str(CPP / "learner" / "elementary_arrays.cpp")]
    subprocess.run([*compiler, *_FLAGS, *sources, *quad, "-o", str(out)], check=True)
    return [str(out)]


def exhaust(checker: Sequence[str], name: str, jobs: int) -> str:
    """One line: what was tried, wrong and undecided among all inputs, and the seconds that it took."""
    began = time.monotonic()
    bounds = [i * 2**32 // _PIECES for i in range(_PIECES + 1)]

    def piece(i: int) -> list[int]:
        command = [*checker, name, str(bounds[i]), str(bounds[i + 1]), "1"]
        words = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
        return [int(words[words.index(what) + 1]) for what in ("tried", "wrong", "undecided")]

    with ThreadPoolExecutor(jobs) as pool:
        tried, wrong, undecided = map(sum, zip(*pool.map(piece, range(_PIECES)), strict=True))
    seconds = time.monotonic() - began
    return f"{name}: {tried} inputs, {wrong} wrong, {undecided} undecided, {seconds:.0f} s"


def main() -> None:
    """Functions are named on the command line, or all are tried."""
    with tempfile.TemporaryDirectory() as folder:
        checker = compile_checker(Path(folder), ["g++"])
        for name in sys.argv[1:] or NARROW:
            print(exhaust(checker, name, os.cpu_count() or 1), flush=True)


if __name__ == "__main__":
    main()
