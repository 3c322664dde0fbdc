"""The wheel: built from a read-only copy under an awkward path, complete, small, usable as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from installer import check_wheel, pip, read_only, tool

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    "CMakeLists.txt",
    "LICENSE",
    "NOTICE",
    "README.md",
    "cpp",
    "examples",
    "pyproject.toml",
    "python",
    "toolchains",
]
WHEEL_BYTES_MAX = 2_000_000

pytestmark = [pytest.mark.native, pytest.mark.slow]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("α b")
    source, temporary, out = base / "proj (1)", base / "a tmp", base / "dist"
    temporary.mkdir()
    source.mkdir()
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source / name)
    with read_only(source):
        pip("wheel", str(source), "-w", str(out), TMPDIR=str(temporary))
    (wheel,) = out.glob("*.whl")
    return wheel


def test_wheel_holds_what_a_user_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        sources = {name for name in names if name.startswith("alpha_build/runtime/")}
    for path in (ROOT / "python").rglob("*.py"):
        assert path.relative_to(ROOT / "python").as_posix() in names
    for part in ("cpp", "examples", "toolchains"):
        for path in (ROOT / part).rglob("*.*"):
            name = f"alpha_build/runtime/{path.relative_to(ROOT).as_posix()}"
            # Into an extension, not into roles; a project of its own, no module of this one.
            left_out = path.parent.name in ("bind", "simulate") or "wheel-project" in path.parts
            assert (name in sources) != left_out, name
    assert {"alpha_build/py.typed", "alpha_build/_native.pyi"} <= names
    assert any(name.startswith("alpha_build/_native.") and name.endswith(".so") for name in names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]
    assert wheel.stat().st_size < WHEEL_BYTES_MAX


def test_wheel_is_as_indexes_and_installers_want_it(wheel: Path, tmp_path: Path) -> None:
    check_wheel(wheel, tmp_path)
    pytest.importorskip("auditwheel")
    said = " ".join(tool(tmp_path, "auditwheel", "show", wheel).split())
    assert '"manylinux_' in said or '"linux_' in said, said


def test_installed_package_finds_its_runtime(wheel: Path, tmp_path: Path) -> None:
    pip("install", str(wheel), "--target", str(tmp_path))
    script = (
        "import alpha_build._native, alpha_build.frame as f; from alpha_build import paths;"
        "print(alpha_build.__file__); print(paths.runtime()); print(f.payload_digest(b'').hex())"
    )
    # -S and no user site: an editable installation of the checkout must not answer instead.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *site_packages()])}
    done = subprocess.run(
        [sys.executable, "-S", "-c", script], env=environment, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    module, runtime, digest = done.stdout.split("\n")[:3]
    assert Path(module).parent == tmp_path / "alpha_build"
    assert Path(runtime) == tmp_path / "alpha_build" / "runtime"
    assert digest.startswith("e3b0c44298fc1c14")


def site_packages() -> list[str]:
    return [entry for entry in sys.path if entry.endswith("site-packages")]
