"""Running CMake and compilers: a clean environment, a log of every line, nothing left behind on Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from threading import Lock

# What a compiler needs to start.  CC, CXXFLAGS, CPATH, LIBRARY_PATH, CMAKE_... would alter artifacts from
# outside the system, so they are not passed on.
_PASSED = ("PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "XDG_CACHE_HOME", "CCACHE_DIR")


def clean_environment(cache: Path) -> dict[str, str]:
    """Environment of every tool; Zig keeps its cache in `cache`."""
    passed = {name: os.environ[name] for name in _PASSED if name in os.environ}
    zig = {"ZIG_GLOBAL_CACHE_DIR": str(cache), "ZIG_LOCAL_CACHE_DIR": str(cache)}
    return {**passed, **zig, "LC_ALL": "C.UTF-8"}


class Processes:
    """Tools that run side by side; `stop` ends all of them with their children."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False

    def run(
        self,
        command: Sequence[str],
        environment: dict[str, str],
        log: Path,
        on_line: Callable[[str], None] = lambda line: None,
    ) -> bool:
        """Run to the end, appending all output to `log`; true when the exit status is 0."""
        with open(log, "a", encoding="utf-8") as file:
            file.write(f"$ {' '.join(command)}\n")
            file.flush()
            process = self._start(command, environment)
            if process is None:
                return False
            try:
                assert process.stdout is not None
                _copy(process.stdout, file.write, on_line)
                return process.wait() == 0
            finally:
                self._end(process)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for process in running:
            _kill(process)

    def _start(self, command: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[str] | None:
        with self._lock:
            if self._stopped:
                return None
            process = subprocess.Popen(
                command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", start_new_session=True,
            )  # fmt: skip
            self._running.add(process)
            return process

    def _end(self, process: subprocess.Popen[str]) -> None:
        if process.poll() is None:
            _kill(process)
        process.wait()
        with self._lock:
            self._running.discard(process)


def _copy(lines: Iterable[str], write: Callable[[str], object], on_line: Callable[[str], None]) -> None:
    for line in lines:
        write(line)
        on_line(line)


def _kill(process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
