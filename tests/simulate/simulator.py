"""Compiles the simulator without Python, whole or with one source changed."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from native import CPP, runtime_sources

DRIVER = Path(__file__).with_name("driver.cpp")
FOLDERS = ("base", "frame", "socket", "role", "state", "simulate")


@dataclass
class Build:
    """Object files of the simulator, made with `flags`, in a folder of their own."""

    folder: Path
    flags: tuple[str, ...]
    objects: dict[Path, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        sources = [path for path in runtime_sources(*FOLDERS, hosted=True) if path.name != "module.cpp"]
        for source in [*sources, CPP / "combine.cu", DRIVER]:
            self.objects[source] = self.folder / f"{source.parent.name}-{source.stem}.o"
            self.compile(source, self.objects[source])

    def compile(self, source: Path, out: Path, *, stands_for: Path | None = None) -> None:
        """`stands_for`: the original of a changed copy, whose neighbours it includes."""
        near = [f"-iquote{stands_for.parent}"] if stands_for else []
        words = ["g++", "-std=c++20", "-DALPHA_SIMULATED", f"-I{CPP}", *near, *self.flags]
        subprocess.run([*words, "-x", "c++", "-c", str(source), "-o", str(out)], check=True)

    def link(self, out: Path, changed: dict[Path, Path] | None = None) -> Path:
        objects = {**self.objects, **(changed or {})}
        subprocess.run(["g++", *self.flags, *map(str, objects.values()), "-o", str(out)], check=True)
        return out


def run(driver: Path, first: int, count: int, *systems: str) -> subprocess.CompletedProcess[str]:
    """`count` seeds of each of these systems of the driver, all where none is named."""
    words = [driver, str(first), str(count), *systems]
    return subprocess.run(words, capture_output=True, text=True, timeout=300)
