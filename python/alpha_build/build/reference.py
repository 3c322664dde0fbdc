"""A learner's kernels as a shared library of this machine: the executables' source, called in process."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alpha_build import paths
from alpha_build.build.cache import key, user_cache
from alpha_build.build.output import replace
from alpha_build.build.process import clean_environment
from alpha_build.build.toolchains import Toolchain, find, host_target
from alpha_build.learner.lower import Lowered, lower
from alpha_build.learner.program import LearnerProgram, Operand, Program
from alpha_build.system.errors import BuildFailure

# What the executables' kernels are compiled with, but for what makes a library of them.
_FLAGS = (
    "-std=c++20", "-O3", "-ffreestanding", "-nostdlib", "-fPIC", "-fno-exceptions", "-fno-rtti",
    "-fno-stack-protector", "-fno-math-errno", "-ffp-contract=off", "-fno-strict-aliasing",
)  # fmt: skip
_TARGET_FLAGS = {"x86_64": ("-march=x86-64-v3",), "aarch64": ("-mno-outline-atomics",)}
_ZIG_TARGET_FLAGS = {"x86_64": ("-march=x86_64_v3",), "aarch64": ()}
_ALIGNMENT = 64
_Function = Callable[..., None]


@dataclass(frozen=True)
class Kernel:
    """One lowered program that can be called."""

    program: Program
    lowered: Lowered
    function: _Function

    def __call__(self, rows: int, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Outputs for `rows` samples; inputs as the program lists them, without its constants."""
        assert len(inputs) == len(self.program.inputs)
        arrays = [np.ascontiguousarray(array) for array in (*inputs, *self.program.constants)]
        results = [self._result(operand, rows) for operand in self.program.outputs]
        scratch = np.empty(self.lowered.scratch_bytes(rows) + _ALIGNMENT, np.uint8)
        aligned = scratch.ctypes.data + -scratch.ctypes.data % _ALIGNMENT
        self.function(rows, _pointers(arrays), _pointers(results), aligned)
        return results

    def _result(self, operand: Operand, rows: int) -> np.ndarray:
        aval = self.program.aval(operand)
        return np.empty(tuple(rows if size == "rows" else size for size in aval.shape), aval.dtype)


@dataclass(frozen=True)
class Kernels:
    block: Kernel
    update: Kernel
    metric: Kernel | None


def compile_kernels(learner: LearnerProgram, rounding: str, folder: Path) -> Kernels:
    """A learner's kernels; raises what compile_programs raises."""
    programs = {"block": learner.block, "update": learner.update}
    if learner.metric is not None:
        programs["metric"] = learner.metric
    kernels = compile_programs(programs, rounding, folder)
    return Kernels(kernels["block"], kernels["update"], kernels.get("metric"))


def compile_programs(programs: Mapping[str, Program], rounding: str, folder: Path) -> dict[str, Kernel]:
    """Lower programs for this machine, compile them in `folder` as one library, load it.

    Raises:
        UnsupportedPrimitive: an operation has no lowering here.
        BuildFailure: there is no compiler, or it refuses the source.
    """
    toolchain = find(host_target())
    lowered = {
        name: lower(program, name, target=toolchain.target, rounding=rounding)
        for name, program in programs.items()
    }
    library = _compiled(library_source(list(lowered.values())), toolchain, folder)
    return {name: Kernel(programs[name], lowered[name], _function(library, name)) for name in programs}


# An executable's start code does this; a library does it when it is loaded.
_START = "[[gnu::constructor]] static void start() { detect_processor(0); }"


def library_source(lowered: Sequence[Lowered]) -> str:
    """C++ of several programs, each a function that C can call; for linking with kernel_sources."""
    includes = sorted({"base/processor.h", *(include for each in lowered for include in each.includes)})
    lines = [f'#include "{include}"' for include in includes]
    functions = [each.source for each in lowered]
    return "\n".join(
        [*lines, "", "namespace alpha {", _START, 'extern "C" {', *functions, "}\n}  // namespace alpha\n"]
    )


def kernel_sources(runtime: Path) -> list[Path]:
    """What the programs call, in the folder of the runtime's sources."""
    return [*sorted((runtime / "learner").glob("*.cpp")), runtime / "base" / "processor.cpp"]


def _compiled(source: str, toolchain: Toolchain, folder: Path) -> ctypes.CDLL:
    """The library of a source, compiled unless folder or cache has it: named by all that goes into it."""
    folder.mkdir(parents=True, exist_ok=True)
    runtime = paths.runtime() / "cpp"
    command = [*_compiler(toolchain), "-I", str(runtime)]
    content = hashlib.sha256("\0".join([repr(toolchain.key), *command]).encode())
    for path in sorted([*(runtime / "learner").iterdir(), *(runtime / "base").iterdir()]):
        content.update(path.read_bytes() if path.is_file() else b"")
    kernels = content.hexdigest()
    content.update(source.encode())
    name = "kernels-" + content.hexdigest()[:16]
    library, text = folder / f"{name}.so", folder / f"{name}.cpp"
    if not library.is_file():
        objects = []
        for path in kernel_sources(runtime):  # once for all programs
            objects.append(folder / f"{path.stem}-{kernels[:16]}.o")
            _make([*command, "-c"], path, objects[-1], key("kernel object", path.name, kernels))
        text.write_text(source)
        _make([*command, "-shared", *map(str, objects)], text, library, key("kernels", content.hexdigest()))
    return ctypes.CDLL(str(library))


def _make(command: Sequence[str], source: Path, made: Path, entry: str) -> None:
    """What a command makes of a source, from the cache if it is there."""
    if made.is_file():
        return
    cache = user_cache()
    data = cache.get(entry)
    if data is not None:
        replace(made, [data])
        return
    unfinished = made.with_suffix(f".{os.getpid()}{made.suffix}")
    result = subprocess.run(
        [*command, str(source), "-o", str(unfinished)],
        env=clean_environment(made.parent), capture_output=True, text=True, check=False,
    )  # fmt: skip
    if result.returncode != 0:
        message, _, _ = result.stderr.strip().partition("\n")
        raise BuildFailure(f"the kernels do not compile: {message}", kind="compile", where=str(source))
    unfinished.replace(made)
    cache.put(entry, made.read_bytes())


def _compiler(toolchain: Toolchain) -> list[str]:
    if toolchain.name.startswith("zig"):
        target = f"{toolchain.target}-linux-gnu"
        return [
            str(toolchain.compiler), "c++", "-target", target, *_FLAGS, "-fno-sanitize=all", "-fno-builtin",
            *_ZIG_TARGET_FLAGS[toolchain.target],
        ]  # fmt: skip
    return [str(toolchain.compiler), *_FLAGS, *_TARGET_FLAGS[toolchain.target]]


def _function(library: ctypes.CDLL, name: str) -> _Function:
    function: Any = getattr(library, name)
    function.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    function.restype = None
    return function  # type: ignore[no-any-return]


def _pointers(arrays: Sequence[np.ndarray]) -> ctypes.Array[ctypes.c_void_p]:
    return (ctypes.c_void_p * max(1, len(arrays)))(*(array.ctypes.data for array in arrays))
