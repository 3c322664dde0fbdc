"""Equal bits of the examples' programs with every compiler, level and instruction set: `make bits`."""

from __future__ import annotations

import hashlib
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from alpha_build.build.toolchains import find_zig
from alpha_build.learner.program import LearnerProgram, Program
from alpha_build.learner.trace import trace_learner
from alpha_build.system.load import load_system
from learner.programs import Work, case, run_elsewhere
from native import AARCH64, X86_64

SHIM = Path(__file__).with_name("shim")
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
NAMES = ("diabetes", "logistic", "digits", "cnn", "transformer")
ROWS = 9
X86_LEVELS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
OPTIMISATIONS = ("-O0", "-O2", "-O3")


@dataclass(frozen=True)
class Call:
    """One program of a learner, with arguments of its own shapes."""

    program: Program
    arguments: Sequence[np.ndarray]


@dataclass(frozen=True)
class Build:
    """A compiler with its target flags, what starts its executables, and flags of optimisation."""

    compiler: tuple[str, ...]
    emulator: tuple[str, ...]
    flags: tuple[str, ...]
    cuda: bool = False  # CUDA source, as C++ whose grid is threads of this machine

    @property
    def name(self) -> str:
        target = ["CUDA source"] * self.cuda
        target += [flag for flag in self.compiler if flag.startswith("-m") or "linux" in flag]
        return " ".join([Path(self.compiler[0]).name, *target, *self.flags])


def edges() -> dict[str, Work]:
    """What a contraction, another order or a flush would show in: each has one right value."""
    a = np.float32(1 + 2.0**-12)
    tiny = np.ldexp(np.arange(1, 200, dtype=np.float32), -149)
    spread = (np.random.default_rng(7).normal(size=9000) * 10.0 ** (np.arange(9000) % 9)).astype(np.float32)
    scores = np.random.default_rng(8).normal(size=(100, 1000)).astype(np.float32) * 4

    def eighths(x: jax.Array) -> jax.Array:
        """From -88 down past what a subnormal number's logarithm may be."""
        return -88 - x * np.float32(2.0**100) * np.float32(2.0**46)

    return {
        "contraction": case(lambda a, b, c: a * b + c, a, a, np.float32(-(1 + 2.0**-11))),
        "order": case(jnp.sum, spread),
        "tiny": case(lambda x: (x * np.float32(0.5), x + x, jnp.sum(x), jnp.exp(eighths(x))), tiny),
        "softmax": case(lambda x: jax.nn.softmax(x, axis=1), scores),
    }


def calls_of(name: str) -> dict[str, Work]:
    """An example's programs on random numbers of its own shapes."""
    learner = load_system(str(EXAMPLES / f"{name}.py")).learner
    assert learner is not None
    return _calls(name, trace_learner(learner))


def _calls(name: str, traced: LearnerProgram) -> dict[str, Work]:
    random = np.random.default_rng(5)
    state = [leaf.array for leaf in traced.state]
    moved = [
        (array + random.normal(0, 0.1, array.shape)).astype(array.dtype) if array.dtype.kind == "f" else array
        for array in state
    ]
    parameters = moved[: traced.parameters]
    samples = [np.ascontiguousarray(array[:ROWS]) for array in traced.samples]
    words = [np.uint32(4), np.uint32(30)] if traced.keyed else []
    gradient = [random.normal(0, 1, array.shape).astype(array.dtype) for array in parameters]
    # The second moments of an optimiser are not negative.
    held = [abs(array) if array.dtype.kind == "f" else array for array in moved[traced.parameters :]]
    calls: dict[str, Work] = {
        f"{name}_block": Call(traced.block, [*parameters, *samples, *map(np.asarray, words)]),
        f"{name}_update": Call(traced.update, [*parameters, *held, *gradient, np.asarray(0.5, np.float32)]),
    }
    if traced.metric is not None:
        tested = [np.ascontiguousarray(array[:ROWS]) for array in traced.evaluation_samples]
        calls[f"{name}_metric"] = Call(traced.metric, [*parameters, *tested])
    return calls


def outputs(
    work: Mapping[str, Work], build: Build, folder: Path, rounding: str, multiplies: bool = True
) -> dict[str, list[bytes]]:
    """The bytes of every output."""
    compiler, emulator = build.compiler, build.emulator
    return run_elsewhere(
        work, folder, compiler, emulator, rounding, build.flags, ROWS, multiplies,
        static=not build.cuda, target="cuda" if build.cuda else "aarch64",
    )  # fmt: skip


def digest(found: Mapping[str, list[bytes]]) -> str:
    """SHA-256 of all of them, hexadecimal."""
    whole = hashlib.sha256()
    for name in sorted(found):
        for output in found[name]:
            whole.update(output)
    return whole.hexdigest()


def build(level: str, optimisation: str) -> Build:
    """By g++ for an instruction set of x86-64, for AArch64 with an emulator, or of CUDA source."""
    off = "-ffp-contract=off"
    if level == "cuda":
        return Build(("g++", "-pthread", f"-I{SHIM}"), (), (optimisation, off), cuda=True)
    if level == "aarch64":
        emulator = () if AARCH64.emulator is None else (AARCH64.emulator,)
        return Build((AARCH64.compiler, *AARCH64.flags), emulator, (optimisation, off))
    return Build((X86_64.compiler, f"-march={level}"), (), (optimisation, off))


def runs_here(level: str) -> bool:
    """Whether this machine has the instructions, or compiler and emulator."""
    if level == "aarch64":
        return AARCH64.missing() is None
    if level == "cuda":
        return shutil.which("g++") is not None
    words = Path("/proc/cpuinfo").read_text().split() if platform.machine() == "x86_64" else []
    needs = {"x86-64-v2": "sse4_2", "x86-64-v3": "avx2", "x86-64-v4": "avx512vl"}[level]
    return needs in words and X86_64.missing() is None


def builds() -> Iterator[Build]:
    """All that this machine can compile and run."""
    for level in (*X86_LEVELS, "aarch64", "cuda"):
        if runs_here(level):
            yield from (build(level, optimisation) for optimisation in OPTIMISATIONS)
    for target, level in (("x86_64", "x86-64-v3"), ("aarch64", "aarch64")):  # a C library is made for each
        zig = find_zig(target)
        if zig is None or not runs_here(level):
            continue
        processor = "generic" if target == "aarch64" else level.replace("-", "_")
        program = (str(zig.compiler), "cc", f"--target={target}-linux-musl", f"-mcpu={processor}")
        emulator = build(level, "").emulator
        for optimisation in OPTIMISATIONS:
            yield Build(program, emulator, (optimisation, "-ffp-contract=off", "-fno-sanitize=all"))


def main() -> None:
    """Examples are named on the command line, or all are tried; exits 1 where any build differs."""
    differs = False
    for name in sys.argv[1:] or ("edges", *NAMES):
        work = edges() if name == "edges" else calls_of(name)
        for rounding in ("separate", "fused"):
            found: dict[str, list[str]] = {}
            for each in builds():
                with tempfile.TemporaryDirectory() as folder:
                    key = digest(outputs(work, each, Path(folder), rounding))
                found.setdefault(key, []).append(each.name)
            counts = ", ".join(f"{key[:16]} of {len(names)} builds" for key, names in found.items())
            print(f"{name}, {rounding}: {counts}", flush=True)
            if len(found) > 1:
                differs = True
                print(*(f"  {key[:16]}: {each}" for key, names in found.items() for each in names), sep="\n")
    sys.exit(differs)


if __name__ == "__main__":
    main()
