"""`alpha-build doctor`: the tools of builds and runs, which are here, and what brings the others."""

from __future__ import annotations

import shutil
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from alpha_build.build.toolchains import (
    TARGETS,
    Toolchain,
    find_gnu,
    find_zig,
    host_target,
    install_command,
)
from alpha_build.build.tools import INSTALL, find_cmake, find_ninja, find_nvcc
from alpha_build.run.artifacts import find_emulator


@dataclass(frozen=True)
class Finding:
    """One tool: `found` says what it is and where, None where it is missing; `command` brings it."""

    name: str
    purpose: str
    found: str | None
    command: str
    needed: bool = False  # nothing works without it

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "command": None if self.found else self.command}


def examine() -> list[Finding]:
    """All tools, those that are needed first."""
    return [*_compilers(), *_build_tools(), *_emulators(), *_packages(), *_gpu()]


def text(findings: list[Finding]) -> str:
    """The findings for a person, one line each; what is missing ends with its command."""
    width = max(len(each.name) for each in findings)
    lines = []
    for each in findings:
        mark = "yes" if each.found else "NO " if each.needed else "-  "
        what = each.found or f"missing ({each.purpose}): {each.command}"
        lines.append(f"{mark} {each.name:<{width}}  {what}")
    return "\n".join(lines)


def _compilers() -> list[Finding]:
    """One of the two is enough for a target, so that only the first for this machine is called needed."""
    findings = []
    for target in sorted(TARGETS, key=lambda each: each != host_target()):
        zig, gnu = find_zig(target), find_gnu(target)
        needed = target == host_target() and zig is None
        purpose = f"roles on {target}"
        findings.append(Finding(f"g++ for {target}", purpose, _said(gnu), install_command(target), needed))
        findings.append(Finding(f"Zig for {target}", purpose, _said(zig), "pip install 'alpha-build[zig]'"))
    return findings


def _said(toolchain: Toolchain | None) -> str | None:
    return f"{toolchain.identity}, {toolchain.compiler}" if toolchain else None


def _build_tools() -> list[Finding]:
    found = [("CMake", *find_cmake()), ("Ninja", *find_ninja())]
    return [
        Finding(name, "compiling roles", f"{version}, {program}" if program else None, INSTALL, needed=True)
        for name, program, version in found
    ]


def _emulators() -> list[Finding]:
    return [
        Finding(
            f"emulator for {target}", f"running {target} roles on this machine",
            find_emulator(target), "apt-get install qemu-user-static",
        )
        for target in TARGETS
        if target != host_target()
    ]  # fmt: skip


def _packages() -> list[Finding]:
    rows = [
        ("jax", "learners", "pip install 'alpha-build[jax]'"),
        ("optax", "learners", "pip install 'alpha-build[jax]'"),
        ("scikit-learn", "the demo's data", "pip install 'alpha-build[demo]'"),
    ]
    findings = [Finding(name, purpose, _version(name), command) for name, purpose, command in rows]
    return [*findings, Finding("dot", "alpha-build draw", shutil.which("dot"), "apt-get install graphviz")]


def _gpu() -> list[Finding]:
    nvcc, release = find_nvcc()
    said = f"{release}, {nvcc}" if nvcc else None
    install = "pip install nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl"
    return [
        Finding("nvcc", "combines for GPUs, toolchains/cuda-host.cmake", said, install),
        Finding("NVIDIA driver", "running roles on GPUs", _driver(), "see https://www.nvidia.com/drivers"),
        Finding("cupy", "combines in process on GPUs", _cupy(), "pip install 'alpha-build[cuda]'"),
    ]


def _cupy() -> str | None:
    names = ("cupy-cuda13x", "cupy-cuda12x", "cupy")
    return next((f"{name} {found}" for name in names if (found := _version(name))), None)


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _driver() -> str | None:
    try:
        return Path("/proc/driver/nvidia/version").read_text().partition("\n")[0]
    except OSError:
        return None
