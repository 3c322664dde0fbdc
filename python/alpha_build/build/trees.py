"""CMake trees of a build, one for each toolchain: classes that the cache lacks are compiled in them.

A tree whose configuration has changed (compiler, tools, runtime sources, place) is made anew, so that nothing
stale survives in it.
"""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from alpha_build import paths
from alpha_build.build.cache import Cache, file_digests, key
from alpha_build.build.configure import Builder, runtime_digest
from alpha_build.build.diagnostics import compile_failure
from alpha_build.build.libraries import RuntimeLibraries
from alpha_build.build.toolchains import Toolchain, ask
from alpha_build.build.tools import BuildTools

_KEY_FILE = "alpha-build.key"
# Sources that read what no dependency file lists.
_READS_UNLISTED = re.compile(r"\.incbin|#\s*embed\b|__has_include")


@dataclass(frozen=True)
class ClassSource:
    """A class, the digest of its generated files' text, and what else its compilation depends on."""

    name: str
    content: str
    kernels: bool
    cacheable: bool

    @classmethod
    def of(cls, name: str, text: str, *, kernels: bool) -> ClassSource:
        return cls(name, sha256(text.encode()).hexdigest(), kernels, not _READS_UNLISTED.search(text))


def class_key(source: ClassSource, toolchain: Toolchain, tools: BuildTools, runtime: str) -> str:
    """Where the cache keeps a class's executable; `runtime` is the runtime's digest."""
    programs = (tools.identity, toolchain.key)
    return key("class", source.name, source.content, source.kernels, runtime, programs)


@dataclass(frozen=True)
class Tree:
    """What one toolchain has to compile."""

    toolchain: Toolchain
    sources: Path  # dist/src, absolute
    folder: Path  # dist/build/<toolchain>, absolute
    classes: tuple[ClassSource, ...]

    @property
    def log(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.log")


@dataclass(frozen=True)
class Compilation:
    """What the trees of one build share."""

    builder: Builder
    cache: Cache
    libraries: RuntimeLibraries
    on_line: Callable[[object, str], None]
    runtime: str

    def compile(self, trees: Sequence[Tree], user_files: frozenset[str]) -> dict[str, bytes]:
        """Executables of all classes by name, the trees side by side; none is made that the cache has.

        Raises:
            BuildFailure: a tool failed.
        """
        images = {}
        lacking: dict[Tree, list[ClassSource]] = {}
        for tree in trees:
            for each in tree.classes:
                found = self.cache.get(self._key(tree, each)) if each.cacheable else None
                if found is None:
                    lacking.setdefault(tree, []).append(each)
                else:
                    images[each.name] = found
        with ThreadPoolExecutor(max_workers=max(1, len(lacking))) as pool:
            futures = {tree: pool.submit(self._compile, tree, classes) for tree, classes in lacking.items()}
            try:
                for tree, future in futures.items():
                    made = future.result()
                    if made is None:
                        raise compile_failure(tree.log, tree.toolchain.target, user_files)
                    images |= made
            except BaseException:
                self.builder.processes.stop()
                raise
        return images

    def _key(self, tree: Tree, each: ClassSource) -> str:
        return class_key(each, tree.toolchain, self.builder.tools, self.runtime)

    def _compile(self, tree: Tree, classes: Sequence[ClassSource]) -> dict[str, bytes] | None:
        """Make these classes of a tree; None when a tool failed, the log says why."""
        self._prepare(tree)
        libraries = self.libraries.of(tree.toolchain)
        if not libraries.archives:
            tree.log.write_text(libraries.log)
            return None
        libraries.write(tree.folder / "libraries")
        names = [each.name for each in classes]
        for name in names:  # one that is not what was linked would be taken for up to date
            (tree.folder / name).unlink(missing_ok=True)
        setting = f"-DAlphaBuild_LIBRARIES={(tree.folder / 'libraries').as_posix()}"
        begin_ns = time.time_ns()
        done = self.builder.run(
            tree.sources, tree.folder, tree.toolchain, names, tree.log, [setting],
            lambda line: self.on_line(tree.toolchain, line),
        )  # fmt: skip
        if not done:
            return None
        made = {name: (tree.folder / name).read_bytes() for name in names}
        if runtime_digest() == self.runtime:  # else somebody edits the sources: nobody knows what was read
            for each in classes:
                self._keep(tree, each, made[each.name], begin_ns)
        return made

    def _prepare(self, tree: Tree) -> None:
        chain, tools = tree.toolchain, self.builder.tools
        programs = (chain.cmake_arguments, chain.key, str(tools.cmake), str(tools.ninja), tools.identity)
        configuration = key("tree", programs, self.runtime, str(tree.sources), str(tree.folder))
        key_file = tree.folder / _KEY_FILE
        if not key_file.is_file() or key_file.read_text() != configuration:
            if tree.folder.exists():
                shutil.rmtree(tree.folder)
            tree.folder.mkdir(parents=True)
            key_file.write_text(configuration)

    def _keep(self, tree: Tree, each: ClassSource, image: bytes, begin_ns: int) -> None:
        """Into the cache, with digests of files beyond runtime and source that were read (user headers)."""
        listed = ask(
            self.builder.tools.ninja, "-C", str(tree.folder), "-t", "deps",
            f"CMakeFiles/{each.name}.dir/{each.name}.cpp.obj",
        )  # fmt: skip
        lines = listed.splitlines()
        if not each.cacheable or "(VALID)" not in listed:
            return
        covered = (str(paths.runtime() / "cpp") + "/", str(tree.sources / f"{each.name}.cpp"))
        read = [str(tree.folder / line.strip()) for line in lines if line.startswith("    ")]
        others = [path for path in read if not path.startswith(covered)]
        if all(Path(path).stat().st_mtime_ns < begin_ns for path in others):
            self.cache.put(self._key(tree, each), image, file_digests(others))
