"""The committed stubs of the extensions are what nanobind writes for them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest
from nanobind.stubgen import StubGen

from alpha_build import _native, _simulated

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "alpha_build"


@pytest.mark.parametrize("module", [_native, _simulated])
def test_stub_is_current(module: ModuleType) -> None:
    generator = StubGen(module=module)
    generator.put(module)
    name = module.__name__.rpartition(".")[2]
    assert (PACKAGE / f"{name}.pyi").read_text() == generator.get(), (
        f"write it anew: python -m nanobind.stubgen -m {module.__name__}"
    )
