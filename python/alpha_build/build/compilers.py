"""What compiles the classes of one build: toolchains of its targets, CMake, cache, runtime libraries."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from alpha_build.build.cache import Cache
from alpha_build.build.configure import Builder, runtime_digest
from alpha_build.build.counters import Counters
from alpha_build.build.libraries import RuntimeLibraries
from alpha_build.build.manifest import learner_source
from alpha_build.build.process import Processes
from alpha_build.build.toolchains import TARGETS, Toolchain, find
from alpha_build.build.tools import find_build_tools
from alpha_build.build.trees import ClassSource, Compilation, Tree, class_key
from alpha_build.system.contract import Target
from alpha_build.system.errors import BuildFailure
from alpha_build.system.system import System


class Compilers:
    """Used as a context: leaving it ends what still runs."""

    def __init__(
        self, jobs: int | None, cache: Cache, family: str | None, on_step: Callable[[int, int], None]
    ) -> None:
        """`family` insists on "gnu" or "zig"."""
        self._jobs = jobs or len(os.sched_getaffinity(0))
        self._cache, self._family = cache, family
        self._counters = Counters(on_step)
        self._toolchains: dict[str, Toolchain] = {}
        self._compilation: Compilation | None = None
        self._ending = contextlib.ExitStack()

    def __enter__(self) -> Compilers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.__exit__(kind, error, trace)

    def toolchains(self, targets: Iterable[str]) -> list[Toolchain]:
        """Those of targets that were begun."""
        return [self._toolchains[target] for target in sorted(set(targets))]

    def begin(self, targets: Iterable[str], *, missing_ok: bool = True) -> None:
        """Find what compiles for these targets and have their libraries made; may be early, on a guess.

        Raises:
            BuildFailure: a tool is missing, unless that is no matter yet.
        """
        for target in sorted(targets, reverse=True):
            try:
                if target not in self._toolchains:
                    self._toolchains[target] = find(target, self._family)
                self._prepared().libraries.start(self._toolchains[target])
            except BuildFailure:
                if not missing_ok:
                    raise

    def compile(
        self, folder: Path, classes: Mapping[str, Sequence[ClassSource]], user_files: frozenset[str]
    ) -> dict[str, bytes]:
        """Executables of the classes, given by target; their texts lie in `folder`/src.

        `user_files` are names of files whose lines the texts hold.

        Raises:
            BuildFailure: a tool is missing or failed.
        """
        trees = []
        for target, sources in classes.items():
            toolchain = self._toolchains[target]
            trees.append(Tree(toolchain, folder / "src", folder / "build" / toolchain.name, tuple(sources)))
        return self._prepared().compile(trees, user_files)

    def headers(self, classes: Mapping[str, Sequence[ClassSource]]) -> list[str]:
        """Files beyond the runtime that the sources of compiled classes, given by target, include."""
        made = self._prepared()
        pairs = [(self._toolchains[target], each) for target, sources in classes.items() for each in sources]
        keys = (class_key(each, chain, made.builder.tools, made.runtime) for chain, each in pairs)
        return sorted({file for key in keys for file in self._cache.files(key)})

    def _prepared(self) -> Compilation:
        if self._compilation is None:
            builder = Builder(find_build_tools(), self._jobs, Processes())
            libraries = RuntimeLibraries(builder, self._cache, self._counters.line)
            self._ending.enter_context(libraries)
            self._compilation = Compilation(
                builder, self._cache, libraries, self._counters.line, runtime_digest()
            )
        return self._compilation


def class_sources(
    targets: Mapping[str, str], texts: Mapping[str, str], *, kernels: bool
) -> dict[str, list[ClassSource]]:
    """Classes by target, from their targets by name and the texts of their files."""
    sources: dict[str, list[ClassSource]] = {}
    for name, target in targets.items():
        text = texts[f"{name}.cpp"] + (texts[learner_source(target)] if kernels else "")
        sources.setdefault(target, []).append(ClassSource.of(name, text, kernels=kernels))
    return sources


def likely_targets(system: System, roles: Collection[int] | None) -> set[str]:
    """Targets that a system not yet checked seems to name, so that compilers start while it is traced."""
    pairing = system.pairing if isinstance(system.pairing, Mapping) else {}
    named = pairing.values() if roles is None else (pairing.get(role, Target()) for role in roles)
    found = {target.isa for target in named if isinstance(target, Target)}
    if roles is None:
        found.add(Target().isa)
    return found & set(TARGETS)
