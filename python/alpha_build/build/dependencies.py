"""Which of the user's files a system was made from, for build systems that decide when to make it again.

Every file that Python opens to read while a build looks at the system is one of them, modules and data alike;
what lies among installed packages, or was written by the build itself, is not.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from alpha_build import paths
from alpha_build.build.cache import user_cache
from alpha_build.build.configure import PACKAGE
from alpha_build.build.output import replace

_SYSTEM_FOLDERS = ("/proc", "/sys", "/dev", "/etc", "/run")
_PACKAGE = Path(__file__).resolve().parents[1]


class ReadFiles:
    """Notes, from its making on, what this thread opens to read (an audit hook: one a process is enough)."""

    def __init__(self) -> None:
        self._opened: set[str] = set()
        self._thread = threading.get_ident()
        sys.addaudithook(self._note)

    def files(self, out: Path) -> list[Path]:
        """The user's files, and alpha-build's own; `out` is the build's folder, no dependency of itself."""
        modules = {str(module.__file__) for module in list(sys.modules.values()) if _has_file(module)}
        outside = _installed() | {out.absolute(), user_cache().folder}
        found = {path for path in map(_absolute, self._opened | modules) if _is_users(path, outside)}
        return sorted(found | set(_own_files()))

    def _note(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or threading.get_ident() != self._thread:
            return
        path, mode, flags = arguments
        writes = set(mode or "") & set("wax+") or (flags or 0) & (os.O_WRONLY | os.O_RDWR)
        if isinstance(path, str | bytes) and not writes:
            self._opened.add(os.fsdecode(path))


def write_depfile(path: Path, made: Path, files: Iterable[Path]) -> None:
    """A rule in Make's words: `made` comes from `files`."""
    lines = " \\\n  ".join(map(_escaped, files))
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, [f"{_escaped(made.absolute())}: \\\n  {lines}\n".encode()])


def _escaped(path: Path) -> str:
    text = path.as_posix().replace("$", "$$")
    for special in (" ", "#"):
        text = text.replace(special, f"\\{special}")
    return text


def _own_files() -> Iterable[Path]:
    runtime = paths.runtime()
    yield from _PACKAGE.rglob("*.py")
    yield from PACKAGE.rglob("*.cmake")
    yield from (runtime / "toolchains").glob("*.cmake")
    for ending in ("*.h", "*.cpp", "*.cu"):
        yield from (runtime / "cpp").rglob(ending)


def _installed() -> set[Path]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = {sys.prefix, sys.base_prefix, site.getusersitepackages(), *_SYSTEM_FOLDERS}
    return {Path(each) for each in folders | {sysconfig.get_path(name) for name in names}} | {_PACKAGE}


def _is_users(path: Path, outside: set[Path]) -> bool:
    return path.suffix != ".pyc" and not outside & set(path.parents) and path.is_file()


def _has_file(module: object) -> bool:
    return isinstance(getattr(module, "__file__", None), str)


def _absolute(name: str) -> Path:
    return Path(os.path.abspath(name))
