"""The combine as a shared library, compiled once a session, with the loops of each instruction set."""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
from pathlib import Path

import pytest

from native import CPP


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """cpp/combine.cu as C++, with vectors, under the names of shim.cpp."""
    out = tmp_path_factory.mktemp("combine") / "libcombine.so"
    sources = [CPP / "combine.cu", CPP / "base" / "processor.cpp", Path(__file__).with_name("shim.cpp")]
    subprocess.run(
        ["g++", "-std=c++20", "-O3", "-ffp-contract=off", "-fPIC", "-shared", f"-I{CPP}", "-x", "c++",
         *map(str, sources), "-o", str(out)],
        check=True,
    )  # fmt: skip
    return out


@pytest.fixture(scope="session", params=["every processor's", "this processor's"])
def library(request: pytest.FixtureRequest, compiled: Path) -> ctypes.CDLL:
    """Which loops run is decided once in each copy of the library."""
    copy = compiled.with_name(f"libcombine-{request.param[:4]}.so")
    shutil.copy(compiled, copy)
    loaded = ctypes.CDLL(str(copy))
    if request.param == "this processor's" and not loaded.shim_detect():
        pytest.skip(f"{platform.machine()} without AVX2 has one kind of loop")
    for name in ("shim_tree", "shim_canonical"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("shim_nodes", "shim_pending_max", "shim_first_nonfinite", "shim_merge"):
        getattr(loaded, name).restype = ctypes.c_uint64
    return loaded
