"""The record beside a build: the same call again does nothing, unless anything at all is not as it was."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build import record, watch
from alpha_build.build.build import build
from alpha_build.build.record import Recorder, asked, unchanged
from alpha_build.gates.systems import fit
from build.systems import write_pair

pytestmark = pytest.mark.native

# Reads in every way that is seen; what it reads is in the system, or decides on it.
READS = """\
import os
from pathlib import Path
import numpy as np
import record_data
try:
    import record_absent
except ImportError:
    pass
here = Path(__file__).parent
np.load(here / "array.npy", mmap_mode="r+")
open(here / "text.txt", "rb").read()
(here / "link.txt").read_text()
sorted(here.glob("parts/*.csv"))
here.joinpath("later.txt").exists()
os.path.isdir(here / "more")
os.path.getsize(here / "size.txt")
try:
    open(here / "missing.txt")
except FileNotFoundError:
    pass
"""


def _asked(
    spec: str, *roles: int, toolchain: str | None = None, program: Path | None = None
) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST", raising=False)
        return asked(spec, roles, toolchain, program)


class Built:
    """A build in `folder`, and what the same call finds of it now."""

    def __init__(self, folder: Path, reads: str = "", **options: Any) -> None:
        self.folder, self.out, self._options = folder, folder / "dist", options
        spec = Path(write_pair(folder, **options))
        spec.write_text(reads + spec.read_text())
        time.sleep(0.1)  # what was written in the moment before a build might change once more in that moment
        self.call = _asked(str(spec))
        recorder = Recorder(self.call)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "path", sys.path[:])
            self.manifest = build(str(spec), self.out, recorder=recorder).as_json()
        self.unseen = recorder.watch.unseen
        self.files = recorder.files()

    @property
    def record(self) -> Path:
        return self.out / "build" / record.FILE

    def found(self) -> tuple[dict[str, Any], list[str]] | None:
        return unchanged(self.out, self.call)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("record α b")
    (folder / "record_data.py").write_text("VALUE = 1\n")
    (folder / "array.npy").write_bytes(
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }".ljust(127)
        + b"\n"
        + bytes(4)
    )
    (folder / "text.txt").write_text("12")
    (folder / "far.txt").write_text("12")
    (folder / "link.txt").symlink_to("far.txt")
    (folder / "parts").mkdir()
    (folder / "size.txt").touch()
    (folder / "factor.h").write_text("#define FACTOR 2.0f\n")
    return Built(folder, READS, before=f'\n#include "{folder}/factor.h"\n', factor="FACTOR")


def test_nothing_changed(built: Built) -> None:
    assert built.unseen == set()
    facts, notices = built.found() or pytest.fail("not found again")
    assert (
        facts["roles"] == built.manifest["roles"] and facts["run"] == built.manifest["run"] and notices == []
    )
    assert {str(built.folder / name) for name in ("factor.h", "record_data.py", "text.txt")} <= set(
        built.files
    )


@contextmanager
def _altered(path: Path) -> Iterator[None]:
    """One bit of a file is another, its size and time of modification the same."""
    data, times = path.read_bytes(), (path.stat().st_atime_ns, path.stat().st_mtime_ns)
    path.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
    os.utime(path, ns=times)
    yield
    path.write_bytes(data)


@contextmanager
def _gone(path: Path) -> Iterator[None]:
    aside = path.with_name("aside")
    path.rename(aside)
    yield
    aside.rename(path)


@contextmanager
def _new(path: Path) -> Iterator[None]:
    path.touch()
    yield
    path.unlink()


@contextmanager
def _longer(path: Path) -> Iterator[None]:
    path.write_text("1")
    yield
    path.write_text("")


@contextmanager
def _as_folder(path: Path) -> Iterator[None]:
    path.mkdir()
    yield
    path.rmdir()


@contextmanager
def _not_executable(path: Path) -> Iterator[None]:
    path.chmod(0o644)
    yield
    path.chmod(0o755)


READ = ("pair.py", "record_data.py", "array.npy", "text.txt", "link.txt", "far.txt", "factor.h")
MADE = (
    "manifest.json", "pair.cdx.json", "pair.role-0.x86_64", "pair.role-1.x86_64", "src/CMakeLists.txt",
    f"build/{record.FILE}",
)  # fmt: skip
CHANGES: list[tuple[Callable[[Path], AbstractContextManager[None]], str]] = [
    *((_altered, name) for name in (*READ, *(f"dist/{name}" for name in MADE[:-1]))),
    *((_gone, name) for name in (*READ, *(f"dist/{name}" for name in MADE))),
    *((_new, name) for name in ("missing.txt", "later.txt", "parts/new.csv", "dist/learner.cbor")),
    (_as_folder, "more"),
    (_longer, "size.txt"),
    # Modules that would be found now, or instead.
    (_new, "record_absent.py"),
    (_as_folder, "record_data"),
    (_not_executable, "dist/pair.role-1.x86_64"),
]


def test_a_change_is_seen(built: Built) -> None:
    for change, name in CHANGES:
        with change(built.folder / name):
            assert built.found() is None, (change, name)
    assert built.found() is not None  # all of it undone


def test_what_was_not_read_is_no_matter(built: Built) -> None:
    for name in ("unread.txt", "dist/state", "parts/__pycache__"):
        (built.folder / name).mkdir()
    assert built.found() is not None


def test_another_call(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = built.call["arguments"][0]
    assert unchanged(built.out, _asked(spec)) is not None
    calls = [
        _asked(f"{spec}:system"),
        _asked(spec, 1),
        _asked(spec, toolchain="gnu"),
        _asked(spec, program=tmp_path / "learner.cbor"),
    ]
    for change in (
        lambda patch: patch.setenv("SEED", "1"),
        lambda patch: patch.chdir(tmp_path),
        lambda patch: patch.syspath_prepend(tmp_path),
        lambda patch: patch.setattr(sys, "executable", "/usr/bin/python3"),
        lambda patch: patch.setattr(record, "version", lambda: "of another release"),
    ):
        with monkeypatch.context() as patch:
            change(patch)
            calls.append(_asked(spec))
    assert [unchanged(built.out, call) for call in calls] == [None] * len(calls)
    assert unchanged(tmp_path, built.call) is None


def test_other_tools(built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that is exchanged, none at all, another runtime, a cache that was cleared."""
    real = shutil.which("x86_64-linux-gnu-g++") or shutil.which("g++")
    (tmp_path / "g++").write_text(f'#!/bin/sh\nexec {real} "$@"\n')
    (tmp_path / "g++").chmod(0o755)
    (tmp_path / "x86_64-linux-gnu-g++").symlink_to("g++")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{path}")
    assert built.found() is None
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert built.found() is None
    monkeypatch.setenv("PATH", path)
    assert built.found() is not None
    with monkeypatch.context() as patch:
        patch.setattr(record, "runtime_digest", lambda: "of other sources")
        assert built.found() is None
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert built.found() is None


def test_installed_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a package that is put there again, as pip does; a package that was not there."""
    site = tmp_path / "site"
    (site / "record_package").mkdir(parents=True)
    (site / "record_package" / "__init__.py").write_text(
        "import importlib.util\nimportlib.util.find_spec('record_more')"
    )
    (site / "record_package-1.dist-info").mkdir()
    own = watch._installed() | {site}
    monkeypatch.setattr(watch, "_installed", lambda: own)
    monkeypatch.syspath_prepend(site)
    built = Built(tmp_path / "project", "import record_package\n")
    assert built.found() is not None
    assert str(site / "record_package" / "__init__.py") not in built.files
    for change, name in (
        (_as_folder, "record_more"), (_new, "record_package.py"), (_gone, "record_package-1.dist-info"),
        (_altered, "record_package/__init__.py"),
    ):  # fmt: skip
        with change(site / name):
            assert built.found() is None, name
        assert change is _altered or built.found() is not None, name


UNSEEN = {
    "a process": "import subprocess; subprocess.run(['true'])",
    "a shell": "import os; os.system('true')",
    "a data base": "import sqlite3; sqlite3.connect(':memory:')",
    "standard input": "open(0, closefd=False)",
    "this machine's name": "import socket; socket.gethostname()",
    "a library": "import ctypes, ctypes.util; ctypes.CDLL('libc.so.6')",
    "a folder's descriptor": "import os; os.scandir(os.open('.', os.O_RDONLY))",
    "written meanwhile": "p = __file__ + '.txt'; open(p, 'w').write('1'); open(p).read()",
    "made meanwhile": "import os; os.path.exists(__file__ + '.d') or os.mkdir(__file__ + '.d')",
    "machine code that may read": "import sys; module = type(sys)('_record'); "
    "module.__file__ = __file__ + '.so'; sys.modules['_record'] = module",
    "what no dependency file lists": "",
}


@pytest.mark.parametrize("how", UNSEEN)
def test_what_cannot_be_told_is_looked_at_each_time(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "_record", sys)  # and taken away afterwards
    del sys.modules["_record"]
    more = {"before": "/* .incbin */ "} if "no dependency" in how else {}
    built = Built(tmp_path, UNSEEN[how] + "\n", **more)
    assert not built.record.exists() and built.found() is None


def test_a_damaged_record_is_none(built: Built) -> None:
    whole = built.record.read_bytes()
    for data in (b"[]", b"{}", whole[:-1], whole.replace(b'"read": {', b'"read": {"x": 1, ')):
        built.record.write_bytes(data)
        assert built.found() is None
    built.record.write_bytes(whole)
    assert built.found() is not None


def test_the_second_call_says_the_same_without_jax(tmp_path: Path) -> None:
    """As a user meets it."""
    pytest.importorskip("jax")
    (tmp_path / "fit.py").write_text(fit())
    (tmp_path / "pyproject.toml").write_text('[tool.alpha-build]\nsystem = "fit.py"\n')
    command = "import sys; sys.argv = ['x', 'roles', '--json']\ntry: import runpy; "
    command += "runpy.run_module('alpha_build')\nexcept SystemExit: print('jax' in sys.modules)"
    said = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        said.append((done.stdout.splitlines(), done.stderr))
    (first, second) = said
    assert first[0][1] == "True" and second[0][1] == "False"
    assert first[0][0] == second[0][0] and first[1] == second[1]
    assert json.loads(second[0][0])["roles"]
    read = json.loads((tmp_path / "dist" / "build" / record.FILE).read_bytes())["read"]["files"]
    assert {str(tmp_path / name) for name in ("fit.py", "pyproject.toml")} <= set(read)
