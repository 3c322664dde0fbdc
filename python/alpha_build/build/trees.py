"""CMake trees, one for each toolchain, under the output folder; compiles classes that are not up to date.

A tree remembers two keys.  When its configuration differs (compiler, tools, runtime sources, place) the tree
is made anew, so that nothing stale survives; when only generated sources differ, it is updated; when
neither does, no tool is started.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from alpha_build import paths
from alpha_build.build.diagnostics import compile_failure
from alpha_build.build.process import Processes, clean_environment
from alpha_build.build.toolchains import Toolchain
from alpha_build.build.tools import BuildTools, find_build_tools

PACKAGE = Path(__file__).resolve().parents[1] / "cmake"
_KEY_FORMAT = 1


@dataclass(frozen=True)
class Tree:
    """What one toolchain has to compile: class names, and the text of every file that they come from."""

    toolchain: Toolchain
    sources: Path  # dist/src, absolute
    folder: Path  # dist/build/<toolchain>, absolute
    classes: tuple[str, ...]
    content: str  # key of the generated sources

    @property
    def log(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.log")

    @property
    def key_file(self) -> Path:
        return self.folder / "alpha-build.json"


def compile_trees(
    trees: Sequence[Tree],
    jobs: int,
    user_files: frozenset[str],
    on_step: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, bytes]:
    """Executables of all classes by name, compiled where they are not up to date, the trees side by side.

    Raises:
        BuildFailure: a tool is missing or failed.
    """
    tools, runtime = find_build_tools(), runtime_digest()
    configurations = {tree: _configuration(tree, tools, runtime) for tree in trees}
    found = {tree: _up_to_date(tree, configurations[tree]) for tree in trees}
    stale = [tree for tree in trees if found[tree] is None]
    processes, progress = Processes(), _Progress(on_step)
    with ThreadPoolExecutor(max_workers=max(1, len(stale))) as pool:
        futures = [
            pool.submit(_compile, tree, configurations[tree], tools, jobs, processes, progress)
            for tree in stale
        ]
        try:
            done = {tree: future.result() for tree, future in zip(stale, futures, strict=True)}
        except BaseException:
            processes.stop()
            raise
    for tree, succeeded in done.items():
        if not succeeded:
            raise compile_failure(tree.log, tree.toolchain.target, user_files)
        found[tree] = _read_classes(tree)
        _write_key(tree, configurations[tree], found[tree])
    return {name: data for tree in trees for name, data in (found[tree] or {}).items()}


def runtime_digest() -> str:
    """Key of what the package compiles and reads: C++ sources, toolchain files, CMake package."""
    runtime, whole = paths.runtime(), sha256()
    files = [
        *(runtime / "cpp").rglob("*"),
        *(runtime / "toolchains").glob("*.cmake"),
        *PACKAGE.glob("*.cmake"),
    ]
    for file in sorted(files):
        if file.suffix in (".h", ".cpp", ".cu", ".cmake"):
            whole.update(f"{file.name}\0{sha256(file.read_bytes()).hexdigest()}\0".encode())
    return whole.hexdigest()


def _configuration(tree: Tree, tools: BuildTools, runtime: str) -> str:
    chain = tree.toolchain
    programs = (chain.cmake_arguments, chain.identity, str(tools.cmake), str(tools.ninja), tools.identity)
    parts = (_KEY_FORMAT, programs, runtime, str(tree.sources), str(tree.folder), str(PACKAGE))
    return sha256(repr(parts).encode()).hexdigest()


def _up_to_date(tree: Tree, configuration: str) -> dict[str, bytes] | None:
    """Executables of a tree in which nothing has changed; None when it has to be compiled."""
    key = _read_key(tree)
    if key.get("configuration") != configuration or key.get("content") != tree.content:
        return None
    try:
        classes = _read_classes(tree)
    except OSError:
        return None
    return classes if key.get("classes") == _digests(classes) else None


def _compile(
    tree: Tree, configuration: str, tools: BuildTools, jobs: int, processes: Processes, progress: _Progress
) -> bool:
    """Configure and build one tree; false when a tool failed, the log says why."""
    if _read_key(tree).get("configuration") != configuration and tree.folder.exists():
        shutil.rmtree(tree.folder)
    tree.folder.mkdir(parents=True, exist_ok=True)
    _remove_altered(tree)
    tree.log.write_text("")
    _write_key(tree, configuration, None)
    environment = clean_environment(tree.folder / "zig-cache")
    configure = [
        str(tools.cmake), "-S", str(tree.sources), "-B", str(tree.folder), "-G", "Ninja",
        f"-DCMAKE_MAKE_PROGRAM={tools.ninja.as_posix()}", f"-DAlphaBuild_DIR={PACKAGE.as_posix()}",
        "-DCMAKE_BUILD_TYPE=", *tree.toolchain.cmake_arguments,
    ]  # fmt: skip
    build = [
        str(tools.cmake),
        "--build",
        str(tree.folder),
        "--parallel",
        str(jobs),
        "--target",
        *tree.classes,
    ]
    return processes.run(configure, environment, tree.log) and processes.run(
        build, environment, tree.log, lambda line: progress.line(tree, line)
    )


def _remove_altered(tree: Tree) -> None:
    """An executable that is not the one that was linked: Ninja would take it for up to date."""
    for name, digest in _read_key(tree).get("classes", {}).items():
        path = tree.folder / name
        if path.is_file() and sha256(path.read_bytes()).hexdigest() != digest:
            path.unlink()


def _read_classes(tree: Tree) -> dict[str, bytes]:
    return {name: (tree.folder / name).read_bytes() for name in tree.classes}


def _digests(classes: dict[str, bytes]) -> dict[str, str]:
    return {name: sha256(data).hexdigest() for name, data in classes.items()}


def _read_key(tree: Tree) -> dict[str, Any]:
    try:
        key = json.loads(tree.key_file.read_bytes())
    except (OSError, ValueError):
        return {}
    return key if isinstance(key, dict) else {}


def _write_key(tree: Tree, configuration: str, classes: dict[str, bytes] | None) -> None:
    """Before a build only the configuration: one that was cut short is not taken for a whole one."""
    key: dict[str, Any] = {"configuration": configuration}
    if classes is not None:
        key |= {"content": tree.content, "classes": _digests(classes)}
    tree.key_file.write_text(json.dumps(key, indent=1, sort_keys=True))


class _Progress:
    """Adds up Ninja's counters, `[3/14] ...`, of trees that build side by side."""

    _COUNTER = re.compile(r"^\[(\d+)/(\d+)\]")

    def __init__(self, on_step: Callable[[int, int], None]) -> None:
        self._on_step = on_step
        self._counters: dict[Tree, tuple[int, int]] = {}
        self._lock = Lock()

    def line(self, tree: Tree, line: str) -> None:
        counter = self._COUNTER.match(line)
        if counter is None:
            return
        with self._lock:
            self._counters[tree] = (int(counter[1]), int(counter[2]))
            done, total = map(sum, zip(*self._counters.values(), strict=True))
            self._on_step(done, total)
