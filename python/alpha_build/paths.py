"""Where the runtime's own files lie: beside the installed package, or in a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]


def cmake() -> Path:
    """Folder of the CMake package."""
    return _PACKAGE / "cmake"


def runtime() -> Path:
    """Folder that holds `cpp/` and `toolchains/`: `alpha_build/runtime` once installed, else the checkout."""
    installed = _PACKAGE / "runtime"
    return installed if (installed / "cpp").is_dir() else _CHECKOUT
