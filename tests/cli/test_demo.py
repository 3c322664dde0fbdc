"""What the demo leaves out on a machine that lacks something, said in one line each."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from alpha_build.build.toolchains import host_target
from alpha_build.demo import demo_system
from alpha_build.system.errors import AlphaError


@pytest.mark.skipif(host_target() != "x86_64", reason="the demo's foreign role is AArch64")
def test_without_an_emulator_its_role_moves_to_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    found = shutil.which

    def without_qemu(name: object, **how: Any) -> str | None:
        return None if "qemu" in str(name) else found(str(name), **how)

    monkeypatch.setattr(shutil, "which", without_qemu)
    system, left_out = demo_system(4, "tree", "fused")
    assert {target.isa for target in system.pairing.values()} == {"x86_64"}
    (line,) = left_out
    assert line.startswith("left out: aarch64 executables, ") and "qemu" in line and "\n" not in line


def test_without_its_packages_the_command_that_brings_them_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("alpha_build.demo.find_spec", lambda name: None if name == "sklearn" else name)
    with pytest.raises(AlphaError, match="sklearn") as caught:
        demo_system(4, "tree", "fused")
    assert caught.value.hint == "pip install 'alpha-build[demo]'"
