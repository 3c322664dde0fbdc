"""The build cache: what it gives back, what it never gives, and builds with and without it."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build import trees
from alpha_build.build.build import build
from alpha_build.build.cache import Cache, file_digests, user_cache, writable_cache
from alpha_build.build.configure import Builder
from alpha_build.build.libraries import NAMES
from alpha_build.build.toolchains import available
from build.systems import write_pair


def _bytes(dist: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in dist.iterdir() if path.is_file()}


def _counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every target that CMake is asked for from now on."""
    made, run = list[str](), Builder.run

    def counted(
        self: Builder, sources: Path, folder: Path, toolchain: Any, targets: Any, *rest: Any, **more: Any
    ) -> bool:
        made.extend(targets)
        return run(self, sources, folder, toolchain, targets, *rest, **more)

    monkeypatch.setattr(Builder, "run", counted)
    return made


@pytest.fixture(scope="module")
def _libraries_made(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("first")
    build(write_pair(folder), folder / "dist")


@pytest.fixture
def own_cache(_libraries_made: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    """A cache of this test's own, as XDG_CACHE_HOME names it, that knows the runtime's libraries alone."""
    shared = user_cache()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg β"))
    cache = user_cache()
    cache.folder.mkdir(parents=True)
    for entry in shared.folder.glob("library-*"):
        shutil.copy(entry, cache.folder)
    return cache


def test_damaged_entry_is_none(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("key", b"line\nof data")
    assert cache.get("key") == b"line\nof data"
    entry = tmp_path / "key"
    whole = entry.read_bytes()
    for damaged in (whole[:-1], whole[:-1] + b"A", b"", b"{}\n", b"[]\nline\nof data"):
        entry.write_bytes(damaged)
        assert cache.get("key") is None
    assert cache.get("other") is None


def test_entry_goes_with_a_file_it_was_made_from(tmp_path: Path) -> None:
    header = tmp_path / "mine.h"
    header.write_text("1")
    cache = Cache(tmp_path / "cache")
    cache.put("key", b"data", file_digests([str(header)]))
    assert cache.get("key") == b"data"
    header.write_text("2")
    assert cache.get("key") is None
    header.unlink()
    assert cache.get("key") is None


def test_bound_keeps_what_was_used_last(tmp_path: Path) -> None:
    cache = Cache(tmp_path, size_bytes_max=40_000)
    for name in "abc":
        cache.put(name, bytes(10_000))
    assert cache.get("a") is not None  # used again: b is the oldest now
    cache.put("d", bytes(10_000))
    assert [name for name in "abcd" if cache.get(name)] == ["a", "c", "d"]
    assert sum(cache.sizes()) <= 40_000


def test_writers_side_by_side(tmp_path: Path) -> None:
    """A reader sees one writer's data or the other's, whole; nothing unfinished stays."""
    cache, seen = Cache(tmp_path), set[bytes]()

    def write(data: bytes) -> None:
        for _ in range(100):
            cache.put("key", data)
            found = cache.get("key")
            assert found is not None
            seen.add(found)

    writers = [threading.Thread(target=write, args=(letter * 50_000,)) for letter in (b"a", b"b")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert seen <= {b"a" * 50_000, b"b" * 50_000}
    assert [path.name for path in tmp_path.iterdir()] == ["key"]


def test_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative is ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert user_cache().folder == tmp_path / ".cache" / "alpha-build"
    (tmp_path / ".cache").write_text("no folder can be made here")
    assert writable_cache(tmp_path / "other").folder == tmp_path / "other"
    user_cache().put("key", b"")
    assert user_cache().get("key") is None
    assert user_cache().sizes() == []


@pytest.mark.native
def test_fresh_folder_starts_no_compiler(
    tmp_path: Path, own_cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor CMake, not even where classes have been built since; bytes are those of compiling."""
    made = _counted(monkeypatch)
    spec, first, second = write_pair(tmp_path), tmp_path / "first", tmp_path / "second"
    build(spec, first)
    assert len(set(made) - set(NAMES)) == 2
    made.clear()
    build(spec, second)
    assert made == []
    write_pair(tmp_path, factor="7.0f")
    build(spec, first)
    assert len(made) == 2
    write_pair(tmp_path)
    build(spec, first)
    assert len(made) == 2
    assert not list((second / "build").glob("gnu-*"))
    assert _bytes(second) == _bytes(first)

    for entry in own_cache.folder.glob("class-*"):
        entry.unlink()
    build(spec, second)
    assert len(made) == 4
    assert _bytes(second) == _bytes(first)


@pytest.mark.cross
@pytest.mark.skipif(not available("aarch64"), reason="no compiler for aarch64")
def test_another_pairing_makes_that_class_alone(
    tmp_path: Path, own_cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(write_pair(tmp_path), tmp_path / "dist")
    made = _counted(monkeypatch)
    build(write_pair(tmp_path, target="aarch64"), tmp_path / "dist")
    assert len(set(made) - set(NAMES)) == 1
    made.clear()
    build(write_pair(tmp_path), tmp_path / "dist")
    assert made == []


@pytest.mark.native
def test_users_header_is_not_forgotten(tmp_path: Path, own_cache: Cache) -> None:
    header = tmp_path / "factor.h"
    header.write_text("#define FACTOR 2.0f\n")
    spec = write_pair(tmp_path, before=f'\n#include "{header}"\n', factor="FACTOR")
    dist = tmp_path / "dist"
    build(spec, dist)
    before = _bytes(dist)
    header.write_text("#define FACTOR 3.0f\n")
    build(spec, dist)
    assert _bytes(dist) != before
    header.write_text("#define FACTOR 2.0f\n")
    build(spec, dist)
    assert _bytes(dist) == before


@pytest.mark.native
def test_nothing_is_kept_of_sources_that_change_meanwhile(
    tmp_path: Path, own_cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    build(write_pair(tmp_path), tmp_path / "dist")
    count = len(own_cache.sizes())
    assert list(own_cache.folder.glob("class-*"))
    monkeypatch.setattr(trees, "runtime_digest", lambda: "of other sources")
    build(write_pair(tmp_path, factor="5.0f"), tmp_path / "dist")
    assert len(own_cache.sizes()) == count


@pytest.mark.native
def test_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    build(write_pair(tmp_path), tmp_path / "dist")
    assert list((tmp_path / "dist" / "build" / "cache").glob("library-*"))
    before = _bytes(tmp_path / "dist")
    monkeypatch.undo()
    build(write_pair(tmp_path), tmp_path / "dist")
    assert _bytes(tmp_path / "dist") == before
