"""The combine as a shared library, compiled once a session."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from native import CPP


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """cpp/combine.cu as C++, with vectors, under the names of shim.cpp."""
    out = tmp_path_factory.mktemp("combine") / "libcombine.so"
    subprocess.run(
        ["g++", "-std=c++20", "-O3", "-ffp-contract=off", "-fPIC", "-shared", f"-I{CPP}", "-x", "c++",
         str(CPP / "combine.cu"), str(Path(__file__).parent / "shim.cpp"), "-o", str(out)],
        check=True,
    )  # fmt: skip
    loaded = ctypes.CDLL(str(out))
    for name in ("shim_tree", "shim_canonical"):
        getattr(loaded, name).restype = ctypes.c_void_p
    for name in ("shim_nodes", "shim_pending_max", "shim_first_nonfinite", "shim_merge"):
        getattr(loaded, name).restype = ctypes.c_uint64
    return loaded
