"""A wheel of alpha-build for AArch64 made here: its tag, its files, its start by that machine's Python."""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.cross, pytest.mark.slow]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="crosses from x86-64")
@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-g++") is None, reason="no aarch64-linux-gnu-g++")
@pytest.mark.skipif(shutil.which("apt-get") is None, reason="that machine's Python comes by apt-get")
def test_cross_wheel(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHON": sys.executable, "CXX": "broken"}
    done = subprocess.run(
        [ROOT / "tools" / "cross_wheel.sh", tmp_path / "out"],
        env=environment, capture_output=True, text=True, timeout=400,
    )  # fmt: skip
    if "E: " in done.stderr:  # apt's own words for what it cannot have
        pytest.skip("no such Python can be had here")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    (wheel,) = (tmp_path / "out").glob("*.whl")
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert wheel.name.endswith(f"-{tag}-{tag}-linux_aarch64.whl")
    with zipfile.ZipFile(wheel) as archive:
        libraries = [name for name in archive.namelist() if name.endswith(".so")]
        assert len(libraries) == 2 and all(name.endswith("-aarch64-linux-gnu.so") for name in libraries)
        for name in libraries:
            assert ELFFile(io.BytesIO(archive.read(name))).get_machine_arch() == "AArch64"
        for stub in ("_native.pyi", "_simulated.pyi"):  # the checkout's: nothing foreign was imported
            checkout = (ROOT / "python" / "alpha_build" / stub).read_bytes()
            assert archive.read(f"alpha_build/{stub}") == checkout
    if shutil.which("qemu-aarch64-static"):
        assert "on aarch64" in done.stdout
