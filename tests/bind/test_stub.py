"""The committed stub of the extension is what nanobind writes for it."""

from __future__ import annotations

from pathlib import Path

from nanobind.stubgen import StubGen

from alpha_build import _native

STUB = Path(__file__).resolve().parents[2] / "python" / "alpha_build" / "_native.pyi"


def test_stub_is_current() -> None:
    generator = StubGen(module=_native)
    generator.put(_native)
    assert STUB.read_text() == generator.get(), (
        "write it anew: python -m nanobind.stubgen -m alpha_build._native"
    )
