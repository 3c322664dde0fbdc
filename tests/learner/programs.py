"""JAX functions as loop programs, called through compiled C++ here or under an emulator."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np

from alpha_build.build.reference import compile_programs, kernel_sources, library_source
from alpha_build.learner.lower import lower
from alpha_build.learner.program import Program
from alpha_build.learner.trace_program import to_program

CPP = Path(__file__).resolve().parents[2] / "cpp"


@dataclass(frozen=True)
class Case:
    """A function of arrays and arguments for it."""

    function: Callable[..., Any]
    arguments: tuple[np.ndarray, ...]

    @cached_property
    def program(self) -> Program:
        return to_program(jax.make_jaxpr(self.function)(*self.arguments))

    @cached_property
    def expected(self) -> list[np.ndarray]:
        """What JAX gives, without compiling to XLA's fused kernels: one primitive after another."""
        with jax.disable_jit():
            results = self.function(*map(jnp.asarray, self.arguments))
        return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(results)]


def case(function: Callable[..., Any], *arguments: Any) -> Case:
    return Case(function, tuple(np.asarray(jnp.asarray(argument)) for argument in arguments))


def run(
    cases: Mapping[str, Case], folder: Path, rounding: str = "separate", rows: int = 0
) -> dict[str, list[np.ndarray]]:
    """Outputs of every case, compiled together."""
    programs = {name: each.program for name, each in cases.items()}
    kernels = compile_programs(programs, rounding, folder)
    return {name: kernels[name](rows, each.arguments) for name, each in cases.items()}


_DRIVER = """
#include <stdio.h>
#include <stdlib.h>
template <unsigned long N>
static void call(void (*f)(unsigned long, const void* const*, void* const*, void*),
                 const unsigned long (&in)[N],
                 unsigned long ins, unsigned long outs, unsigned long scratch, unsigned long rows,
                 FILE* from, FILE* to) {
  const void* inputs[N];
  void* outputs[N];
  for (unsigned long i = 0; i < ins + outs; ++i) {
    char* bytes = static_cast<char*>(malloc(in[i] + 1));
    if (i < ins) {
      if (fread(bytes, 1, in[i], from) != in[i]) exit(3);
      inputs[i] = bytes;
    } else {
      outputs[i - ins] = bytes;
    }
  }
  f(rows, inputs, outputs, aligned_alloc(64, scratch + 64));
  for (unsigned long i = 0; i < outs; ++i) fwrite(outputs[i], 1, in[ins + i], to);
}
int main(int, char** path) {
  FILE* from = fopen(path[1], "rb");
  FILE* to = fopen(path[2], "wb");
"""


class Work(Protocol):
    """A program and what it is called with."""

    @property
    def program(self) -> Program: ...
    @property
    def arguments(self) -> Sequence[np.ndarray]: ...


def run_elsewhere(
    cases: Mapping[str, Work],
    folder: Path,
    compiler: Sequence[str],
    emulator: Sequence[str],
    rounding: str,
    flags: Sequence[str] = ("-O2", "-ffp-contract=off"),
    rows: int = 0,
    multiplies: bool = True,
    static: bool = True,
    target: str = "aarch64",
) -> dict[str, list[bytes]]:
    """The same as bytes, by an executable of another target or with other flags; `multiplies`: the
    programs call the matrix product, which takes most of the time to compile."""
    lowered, calls, data = [], [], []
    suffix = "_kernel" if target == "cuda" else ""
    sizes: dict[str, list[int]] = {}
    for name, each in cases.items():
        program = each.program
        lowered.append(lower(program, name, target=target, rounding=rounding))
        inputs = [np.ascontiguousarray(array) for array in (*each.arguments, *program.constants)]
        avals = [program.aval(result) for result in program.outputs]
        shapes = [[rows if size == "rows" else int(size) for size in a.shape] for a in avals]
        sizes[name] = [
            int(np.prod(shape, dtype=int)) * np.dtype(a.dtype).itemsize
            for shape, a in zip(shapes, avals, strict=True)
        ]
        bounds = [array.nbytes for array in inputs] + sizes[name]
        scratch = -(-lowered[-1].scratch_bytes(max(rows, 1)) // 64) * 64
        listed = ", ".join(f"{size}ul" for size in bounds)
        calls.append(f"  {{ const unsigned long in[] = {{{listed}}};")
        numbers = f"{len(inputs)}, {len(avals)}, {scratch}, {rows}"
        calls.append(f"    call(alpha::{name}{suffix}, in, {numbers}, from, to); }}")
        data += [array.tobytes() for array in inputs]
    source, read, written = folder / "cases.cpp", folder / "in.bin", folder / "out.bin"
    source.write_text(library_source(lowered) + _DRIVER + "\n".join(calls) + "\n  fclose(to);\n}\n")
    read.write_bytes(b"".join(data))
    kernels = [str(path) for path in kernel_sources(CPP) if multiplies or path.stem != "matrix"]
    always = [
        "-std=c++20",
        "-fno-math-errno",
        "-Wno-psabi",
        "-fno-strict-aliasing",
        f"-I{CPP}",
        *(["-static"] if static else []),
    ]
    out = folder / "cases"
    subprocess.run([*compiler, *always, *flags, str(source), *kernels, "-o", str(out)], check=True)
    subprocess.run([*emulator, str(out), str(read), str(written)], check=True)
    whole, results = written.read_bytes(), {}
    for name, each in sizes.items():
        results[name] = []
        for size in each:
            results[name].append(whole[:size])
            whole = whole[size:]
    return results


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    """Equal bytes, but that any NaN equals any."""
    if left.dtype != right.dtype or left.shape != right.shape:
        return False
    if left.dtype.kind != "f" and left.dtype.name != "bfloat16":
        return bool((left == right).all())
    return bool(equal_bits(left, right).all())


def equal_bits(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """For each element of two floating arrays whether the bytes are equal, or both are NaN."""
    unsigned = np.dtype(f"u{left.dtype.itemsize}")
    return (np.isnan(left) & np.isnan(right)) | (left.view(unsigned) == right.view(unsigned))
