"""What one build read, as paths that can be looked at again, and the digest of all that lies there."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from hashlib import file_digest, sha256
from pathlib import Path

from alpha_build import paths
from alpha_build.build.watch import Watch, is_installed, is_users, kind_of

_PACKAGE = Path(__file__).resolve().parents[1]
_OWN_SUFFIXES = {".py", ".j2", ".cmake", ".txt", ".in", ".ld", ".h", ".cpp", ".cu"}
_METADATA = (".dist-info", ".egg-info", ".pth")
_TICK_NS = 50_000_000  # more than a file system's clock lags behind time.time_ns


@dataclass(frozen=True)
class Inputs:
    """Sorted absolute paths, and names of modules."""

    files: tuple[str, ...]  # the user's, compared by content; some may not be there
    installed: tuple[str, ...]  # files of packages and Python, compared by size and times
    asked: tuple[str, ...]  # whether something is there, of which kind, how large
    listed: tuple[str, ...]  # folders, compared by all names in them
    searched: tuple[str, ...]  # folders, compared by the names of packages and of `modules`
    modules: tuple[str, ...]

    @classmethod
    def of(cls, watch: Watch) -> Inputs:
        """What was seen, and alpha-build's own files."""
        opened = [path for path in map(Path, watch.opened) if path.suffix != ".pyc"]
        search_path = set(map(os.path.abspath, sys.path))
        return cls(
            files=_sorted(path for path in opened if is_users(path)),
            installed=_sorted({*filter(is_installed, opened), *own_files()}),
            asked=_sorted(path for path in map(Path, watch.asked) if is_users(path)),
            listed=_sorted(path for path in map(Path, watch.listed) if is_users(path) or is_installed(path)),
            # A package's own folders change with its files.
            searched=_sorted(path for path in watch.searched if path in search_path or is_users(Path(path))),
            modules=_sorted(watch.modules),
        )

    @classmethod
    def from_json(cls, data: Mapping[str, Sequence[str]]) -> Inputs:
        return cls(**{name: tuple(each) for name, each in data.items()})

    def as_json(self) -> dict[str, list[str]]:
        return {field.name: list(getattr(self, field.name)) for field in fields(self)}

    def digest(self) -> str:
        """Of everything that lies there now.

        Raises:
            OSError: a file is there and cannot be read.
        """
        whole = sha256()
        looks: dict[Callable[[str], object], Iterable[str]] = {
            content: self.files,
            _state: self.installed,
            _answer: self.asked,
            _names: self.listed,
            self._found: self.searched,
        }
        for look, names in looks.items():
            whole.update(json.dumps([[name, look(name)] for name in names]).encode())
        return whole.hexdigest()

    def may_have_changed(self, watch: Watch, begin_ns: int) -> bool:
        """Whether something has changed since `begin_ns` or its reading, so that what was read is unknown."""
        opened = (*self.files, *self.installed)
        found = (os.path.join(folder, name) for folder in self.searched for name in self._found(folder))
        times = [*map(_changed_ns, (*opened, *self.listed)), *map(_changed_ns, filter(os.path.isfile, found))]
        return (
            max(times, default=0) >= begin_ns - _TICK_NS
            or any(watch.opened.get(path, True) != (kind_of(path) != "") for path in opened)
            or any(watch.asked[path] != kind_of(path) for path in self.asked)
            or any(kind_of(path) == "other" for path in self.files)
        )

    def _found(self, folder: str) -> list[str]:
        """Names in a folder that a search for the modules, or for packages' metadata, may find."""
        wanted = set(self.modules)
        return [
            name
            for name in _names(folder) or ()
            if name.endswith(_METADATA) or name.partition(".")[0] in wanted
        ]


def own_files() -> set[Path]:
    """What alpha-build itself consists of, as far as it makes artifacts."""
    runtime = paths.runtime()
    folders = (_PACKAGE, runtime / "cpp", runtime / "toolchains")
    return {path for folder in folders for path in folder.rglob("*.*") if path.suffix in _OWN_SUFFIXES}


def _sorted(paths: Iterable[object]) -> tuple[str, ...]:
    return tuple(sorted(map(str, paths)))


def content(path: str) -> str | None:
    """SHA-256 of a file; nothing where there is none."""
    if kind_of(path) != "file":
        return None
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _answer(path: str) -> tuple[str, int | None]:
    """What a question about a path is answered; when a file was changed decides on nothing."""
    kind = kind_of(path)
    return kind, os.stat(path).st_size if kind == "file" else None


def _state(path: str) -> tuple[int, ...] | None:
    """What no change of a file leaves as it is."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns, state.st_ctime_ns, state.st_ino


def _names(folder: str) -> list[str] | None:
    try:
        return sorted(name for name in os.listdir(folder) if name != "__pycache__")
    except OSError:
        return None


def _changed_ns(path: str) -> int:
    try:
        return os.stat(path).st_ctime_ns
    except OSError:
        return 0
