"""What is read while a build looks at the user's system: files, folders, and modules that are looked for.

Python tells of every file that it opens, folder that it lists and process that it starts (audit events), and
questions whether a file exists go through os.stat.  What it cannot tell makes the whole untold (`unseen`).
"""

from __future__ import annotations

import importlib.util
import os
import site
import stat
import sys
import sysconfig
import threading
from collections.abc import Callable
from functools import cache
from importlib.abc import MetaPathFinder
from pathlib import Path
from types import ModuleType, TracebackType
from typing import Any

OWN_THREADS = "alpha-build"  # how names of threads begin that compile beside the watched one
_QUESTIONS = ("stat", "lstat", "access")
_MACHINE = tuple(map(Path, ("/proc", "/sys", "/dev")))
_MEMORY = Path("/dev/shm")  # files like others
_PACKAGE = Path(__file__).resolve().parents[1]
# Other processes, other machines and data bases: what comes from them may change at any time.
_UNSEEN = (
    "subprocess.Popen", "os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn",
    "pty.spawn", "builtins.input", "sqlite3.connect", "socket.connect", "socket.sendto", "socket.bind",
    "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.gethostname",
    "socket.getnameinfo",
)  # fmt: skip
# Packages with machine code that opens its files through Python; what others read is unseen.
_OPEN_THROUGH_PYTHON = (
    "alpha_build", "cbor2", "jaxlib", "markupsafe", "ml_dtypes", "numpy", "pandas", "scipy", "sklearn",
    "yaml",
)  # fmt: skip
_STANDARD_UNSEEN = ("_dbm", "_gdbm")
# Python's search for modules, and for metadata of packages, wants few of a folder's names.
_SEARCHES = ("importlib._bootstrap_external", "_frozen_importlib_external", "importlib.metadata")
_WRITING = os.O_WRONLY | os.O_TRUNC | os.O_EXCL


class _Names(MetaPathFinder):
    """Asked first for each module: finds none, and keeps the parts of the names."""

    def __init__(self) -> None:
        self.parts: set[str] = set()

    def find_spec(self, fullname: str, path: object, target: ModuleType | None = None) -> None:
        self.parts.update(fullname.split("."))


class Watch:
    """Used as a context, repeatedly, around whatever looks at the system.

    Paths are absolute.  `opened` says of each whether it was there, `asked` of which kind it was.
    """

    def __init__(self) -> None:
        self.opened: dict[str, bool] = {}
        self.asked: dict[str, str] = {}
        self.listed: set[str] = set()
        self.searched: set[str] = set()  # for modules
        self.unseen: set[str] = set()
        self._names = _Names()
        self._before = set(sys.modules)
        self._questions: dict[str, Callable[..., Any]] = {}
        self._reactions: dict[str, Callable[[tuple[Any, ...]], None]] = {
            "open": self._note_open,
            "os.listdir": self._note_listing,
            "os.scandir": self._note_listing,
            "ctypes.dlopen": self._note_library,
        }

    @property
    def modules(self) -> set[str]:
        """Parts of the names of modules that were looked for, found or not."""
        return self._names.parts

    def __enter__(self) -> Watch:
        for name in _QUESTIONS:
            self._questions[name] = getattr(os, name)
            setattr(os, name, self._noting(self._questions[name]))
        sys.meta_path.insert(0, self._names)
        _listen(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _listen(None)
        sys.meta_path.remove(self._names)
        for name in _QUESTIONS:
            setattr(os, name, self._questions[name])
        self.searched.update(map(os.path.abspath, sys.path))
        for name, module in list(sys.modules.items()):
            self._note_module(name, module)

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """What Python tells of itself."""
        if (event not in self._reactions and event not in _UNSEEN) or _is_own_thread():
            return
        if event in _UNSEEN:
            self.unseen.add(event)
        else:
            self._reactions[event](arguments)

    def _note_open(self, arguments: tuple[Any, ...]) -> None:
        path, mode, flags = arguments
        writes = set(mode or "") & {"w", "x"} or (mode or "").strip("bt") == "a"
        if path == 0:
            self.unseen.add("standard input")
        elif not isinstance(path, int) and not writes and not (flags or 0) & _WRITING:
            self._note_file(_source_of(_absolute(path)))

    def _note_file(self, path: str) -> None:
        if path not in self.opened:
            self.opened[path] = kind_of(path) != ""

    def _note_listing(self, arguments: tuple[Any, ...]) -> None:
        folder = arguments[0]
        if isinstance(folder, int):
            self.unseen.add("a folder by its descriptor")
            return
        searching = sys._getframe(3).f_globals.get("__name__") in _SEARCHES
        (self.searched if searching else self.listed).add(_absolute(folder or "."))

    def _note_library(self, arguments: tuple[Any, ...]) -> None:
        if arguments[0] is not None:
            self.unseen.add("a library through ctypes")

    def _noting(self, question: Callable[..., Any]) -> Callable[..., Any]:
        def noting(path: Any, *rest: Any, **options: Any) -> Any:
            if options.get("dir_fd") is not None:
                self.unseen.add("a folder by its descriptor")
            elif not isinstance(path, int) and not _is_own_thread():
                absolute = _absolute(path)
                self.asked.setdefault(absolute, kind_of(absolute))
            return question(path, *rest, **options)

        return noting

    def _note_module(self, name: str, module: ModuleType) -> None:
        file = getattr(module, "__file__", None)
        if not isinstance(file, str):
            return
        path = _source_of(_absolute(file))
        self._note_file(path)
        new = name not in self._before  # else alpha-build itself needs it
        if new and path.endswith(".so") and _package(Path(path)) not in _OPEN_THROUGH_PYTHON:
            self.unseen.add(path)


_listening: list[Watch] = []  # none, or the one that is on


def _listen(watch: Watch | None) -> None:
    _listening[:] = [watch] if watch else []
    _hook()


@cache
def _hook() -> None:
    """An audit hook stays for as long as the process does: one is enough."""

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        for watch in _listening:
            watch.hear(event, arguments)

    sys.addaudithook(hear)


def kind_of(path: str, ask: Callable[[str], os.stat_result] = os.stat) -> str:
    """ "file", "folder" or "other"; empty where there is nothing."""
    try:
        mode = ask(path).st_mode
    except (OSError, ValueError):
        return ""
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def is_installed(path: Path) -> bool:
    """Whether it lies among Python's own files or installed packages."""
    return not _installed().isdisjoint(path.parents)


def is_users(path: Path) -> bool:
    """Whether it is neither installed nor a thing of the machine."""
    machine = any(each in path.parents for each in _MACHINE) and _MEMORY not in path.parents
    return not machine and not is_installed(path)


@cache
def _installed() -> frozenset[Path]:
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = (*map(sysconfig.get_path, names), *site.getsitepackages(), site.getusersitepackages())
    return frozenset({*map(Path, folders), _PACKAGE})


def _package(library: Path) -> str:
    """The installed package that a library belongs to, "alpha_build" for the standard library's, or none."""
    folder = next((each for each in library.parents if each in _installed()), None)
    if folder is None:
        return ""
    first = library.relative_to(folder).parts[0].split(".")[0]
    if first == "lib-dynload":
        return "" if library.name.split(".")[0] in _STANDARD_UNSEEN else "alpha_build"
    return "alpha_build" if folder == _PACKAGE else first


def _is_own_thread() -> bool:
    return threading.current_thread().name.startswith(OWN_THREADS)


def _source_of(path: str) -> str:
    """The source of bytecode, where there is one."""
    if not path.endswith(".pyc"):
        return path
    try:
        source = importlib.util.source_from_cache(path)
    except ValueError:
        return path
    return source if kind_of(source) else path


def _absolute(path: Any) -> str:
    return os.path.abspath(os.fsdecode(path))
