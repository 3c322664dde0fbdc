"""The runtime's archives, one a target, shared by all tests of roles and their state."""

from __future__ import annotations

import pytest

from native import AARCH64, X86_64, Target
from role.launch import Toolchain


def _toolchain(factory: pytest.TempPathFactory, target: Target) -> Toolchain:
    if tool := target.missing():
        pytest.skip(f"{tool} is not installed")
    return Toolchain(target, factory.mktemp("toolchain") / target.name)


@pytest.fixture(scope="session")
def native(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    return _toolchain(tmp_path_factory, X86_64 if X86_64.emulator is None else AARCH64)


@pytest.fixture(scope="session")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    return _toolchain(tmp_path_factory, AARCH64 if X86_64.emulator is None else X86_64)
