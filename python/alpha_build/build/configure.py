"""One CMake tree: configure and build it, with everything that the machine says kept out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from alpha_build import paths
from alpha_build.build.process import Processes, clean_environment
from alpha_build.build.toolchains import Toolchain
from alpha_build.build.tools import BuildTools

PACKAGE = paths.cmake()


@dataclass(frozen=True)
class Builder:
    """What every tree of a build is made with; `jobs` compilers at once in each."""

    tools: BuildTools
    jobs: int
    processes: Processes

    def run(
        self,
        sources: Path,
        folder: Path,
        toolchain: Toolchain,
        targets: Sequence[str],
        log: Path,
        settings: Sequence[str] = (),
        on_line: Callable[[str], None] = lambda line: None,
    ) -> bool:
        """Make `targets` of the project `sources` in `folder`; false when a tool failed, `log` says why."""
        tools, environment = self.tools, clean_environment(folder / "zig-cache")
        log.write_text("")
        configure = [
            str(tools.cmake), "-S", str(sources), "-B", str(folder), "-G", "Ninja",
            f"-DCMAKE_MAKE_PROGRAM={tools.ninja.as_posix()}", f"-DAlphaBuild_DIR={PACKAGE.as_posix()}",
            "-DCMAKE_BUILD_TYPE=", *toolchain.cmake_arguments, *settings,
        ]  # fmt: skip
        build = [str(tools.cmake), "--build", str(folder), "--parallel", str(self.jobs), "--target", *targets]
        return self.processes.run(configure, environment, log) and self.processes.run(
            build, environment, log, on_line
        )


def runtime_digest() -> str:
    """Key of what the package compiles and reads: C++ sources, toolchain files, CMake package, this file."""
    runtime, whole = paths.runtime(), sha256()
    files = [
        Path(__file__),
        *(runtime / "cpp").rglob("*"),
        *(runtime / "toolchains").glob("*.cmake"),
        *PACKAGE.rglob("*"),
    ]
    for file in sorted(files):
        if file.suffix in (".h", ".cpp", ".cu", ".cmake", ".py", ".txt"):
            whole.update(
                f"{file.parent.name}/{file.name}\0{sha256(file.read_bytes()).hexdigest()}\0".encode()
            )
    return whole.hexdigest()
