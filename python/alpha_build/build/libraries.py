"""The runtime's static libraries, compiled once for a toolchain, while a build traces its system."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from alpha_build.build.cache import Cache, key
from alpha_build.build.configure import PACKAGE, Builder, runtime_digest
from alpha_build.build.toolchains import TARGETS, Toolchain
from alpha_build.build.watch import OWN_THREADS

NAMES = ("alpha_runtime", "alpha_kernels")
_SOURCES = PACKAGE / "runtime"


@dataclass(frozen=True)
class Libraries:
    """Archives by name; where they could not be made, none, and the log says why."""

    archives: dict[str, bytes]
    log: str = ""

    def write(self, folder: Path) -> None:
        """Write the archives that differ: what is older than the programs made from it stays so."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in self.archives.items():
            path = folder / f"lib{name}.a"
            if not path.is_file() or path.read_bytes() != data:
                path.write_bytes(data)


class RuntimeLibraries:
    """Starts compiling a toolchain's libraries at the first word of it; used as a context."""

    def __init__(self, builder: Builder, cache: Cache, on_line: Callable[[object, str], None]) -> None:
        self._builder, self._cache, self._on_line = builder, cache, on_line
        self._runtime = runtime_digest()
        self._pool = ThreadPoolExecutor(len(TARGETS), OWN_THREADS)
        self._futures: dict[Toolchain, Future[Libraries]] = {}

    def __enter__(self) -> RuntimeLibraries:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None or not all(future.done() for future in self._futures.values()):
            self._builder.processes.stop()  # of a guess that was wrong, or a system that was refused
        self._pool.shutdown()

    def start(self, toolchain: Toolchain) -> None:
        """Have a toolchain's libraries soon; those of earlier builds stay in use."""
        if toolchain not in self._futures:
            self._futures[toolchain] = self._pool.submit(self._find, toolchain)

    def of(self, toolchain: Toolchain) -> Libraries:
        """A toolchain's libraries, once they are there."""
        self.start(toolchain)
        return self._futures[toolchain].result()

    def _find(self, toolchain: Toolchain) -> Libraries:
        programs = (self._builder.tools.identity, toolchain.key)
        keys = {name: key("library", name, self._runtime, programs) for name in NAMES}
        found = {name: self._cache.get(keys[name]) for name in NAMES}
        archives = {name: data for name, data in found.items() if data is not None}
        if len(archives) == len(NAMES):
            return Libraries(archives)
        made = self._make(toolchain)
        if (
            runtime_digest() == self._runtime
        ):  # else somebody edits the sources, and nobody knows what was read
            for name, data in made.archives.items():
                self._cache.put(keys[name], data)
        return made

    def _make(self, toolchain: Toolchain) -> Libraries:
        try:
            return self._made_beside(toolchain)
        except OSError as error:
            return Libraries({}, str(error))

    def _made_beside(self, toolchain: Toolchain) -> Libraries:
        with tempfile.TemporaryDirectory(prefix="alpha-build-", ignore_cleanup_errors=True) as name:
            folder = Path(name) / "tree"
            log = Path(name) / "log"
            done = self._builder.run(
                _SOURCES, folder, toolchain, NAMES, log,
                on_line=lambda line: self._on_line((NAMES, toolchain), line),
            )  # fmt: skip
            if done:
                return Libraries({each: (folder / f"lib{each}.a").read_bytes() for each in NAMES})
            return Libraries({}, log.read_text(encoding="utf-8", errors="replace"))
