"""examples/wheel-project as its author and its users meet it: the wheel, its tag, the executables in it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from installer import check_wheel, pip, read_only

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "wheel-project"

pytestmark = [
    pytest.mark.native,
    pytest.mark.slow,
    pytest.mark.skipif(platform.machine() != "x86_64", reason="its executables are for x86-64"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("jax")
    base = tmp_path_factory.mktemp("α b")
    source, temporary, out = base / "proj (1)", base / "a tmp", base / "dist"
    temporary.mkdir()
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    with read_only(source):
        pip("wheel", str(source), "-w", str(out), TMPDIR=str(temporary), CXX="broken", CXXFLAGS="-broken")
    (wheel,) = out.glob("*.whl")
    return wheel


def test_tag_and_content(wheel: Path) -> None:
    assert wheel.name == "line_fit-0.1.0-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if "dist-info" not in name]
    assert sorted(name for name in names if name.startswith("line_fit/roles/line.role-")) == [
        "line_fit/roles/line.role-0.x86_64",
        "line_fit/roles/line.role-1.x86_64",
    ]
    assert {"line_fit/__init__.py", "line_fit/roles/manifest.json"} <= set(names)
    assert not [name for name in names if name.endswith((".cpp", ".cbor", ".o"))]


def test_wheel_is_as_indexes_and_installers_want_it(wheel: Path, tmp_path: Path) -> None:
    check_wheel(wheel, tmp_path)


def test_installed_executables_run(wheel: Path, tmp_path: Path) -> None:
    """Through the console entry, and without the packages that it was built with."""
    pip("install", str(wheel), "--target", str(tmp_path / "site"))
    code = f"import sys; sys.path.insert(0, {str(tmp_path / 'site')!r})\n"
    code += "import line_fit; sys.exit(line_fit.main())"
    entry = (tmp_path / "site" / "bin" / "line-fit").read_text()
    assert "from line_fit import main" in entry
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60,
        env={"PATH": os.devnull},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    complete = [line for line in done.stderr.splitlines() if "complete" in line]
    assert len(complete) == 2 and complete[0].split("state")[1] == complete[1].split("state")[1]
    assert (tmp_path / "line-fit" / "role-1" / "published").is_file()
