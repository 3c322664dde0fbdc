"""Compiled things by the digest of all that goes into them, shared by every build of one user.

An entry is one file: a line of JSON, then the data.  It is written beside its place and renamed, so that
builds side by side see it whole or not at all; who cannot write here builds all the same.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

SIZE_BYTES_MAX = 256 << 20  # some hundred builds; the entries that were used last stay
_UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class Cache:
    """A folder of entries that holds at most `size_bytes_max`, for longer than a write only."""

    folder: Path
    size_bytes_max: int = SIZE_BYTES_MAX

    def get(self, key: str) -> bytes | None:
        """Data of a key; None where there is none, it is damaged, or a file that it was made from changed."""
        path = self.folder / key
        try:
            head, _, data = path.read_bytes().partition(b"\n")
            facts = json.loads(head)
            whole = facts["sha256"] == sha256(data).hexdigest()
            if not whole or facts["files"] != file_digests(facts["files"]):
                return None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return data

    def put(self, key: str, data: bytes, files: Mapping[str, str] | None = None) -> None:
        """Keep data; `files` are digests by path of what it was made from beyond what the key covers."""
        head = json.dumps({"sha256": sha256(data).hexdigest(), "files": dict(files or {})})
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor, name = tempfile.mkstemp(prefix=_UNFINISHED, dir=self.folder)
            try:
                with open(descriptor, "wb") as file:
                    file.write(head.encode() + b"\n" + data)
                os.replace(name, self.folder / key)
            except BaseException:
                os.unlink(name)
                raise
            self._trim()

    def files(self, key: str) -> list[str]:
        """Paths that an entry was made from beyond what its key covers; none where there is no entry."""
        try:
            with open(self.folder / key, "rb") as file:
                return list(json.loads(file.readline())["files"])
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def clear(self) -> None:
        """Remove every entry; nothing else that lies in the folder.

        Raises:
            OSError: an entry cannot be removed.
        """
        for entry in self._entries():
            Path(entry.path).unlink(missing_ok=True)

    def sizes(self) -> list[int]:
        """Bytes of each entry."""
        return [entry.stat().st_size for entry in self._entries()]

    def _entries(self) -> Iterator[os.DirEntry[str]]:
        if self.folder.is_dir():
            with os.scandir(self.folder) as found:
                yield from (each for each in found if each.is_file(follow_symlinks=False))

    def _trim(self) -> None:
        """Remove what was used longest ago until the rest is small enough."""
        entries = sorted(
            ((each.stat(), each.path) for each in self._entries()), key=lambda e: e[0].st_mtime_ns
        )
        excess_bytes = sum(stat.st_size for stat, _ in entries) - self.size_bytes_max
        for stat, path in entries:
            if excess_bytes <= 0:
                break
            Path(path).unlink(missing_ok=True)
            excess_bytes -= stat.st_size


def user_cache() -> Cache:
    """This user's cache: `alpha-build` in XDG_CACHE_HOME, or in ~/.cache."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(named) if os.path.isabs(named) else Path(os.path.expanduser("~")) / ".cache"
    return Cache(base / "alpha-build")


def writable_cache(otherwise: Path) -> Cache:
    """This user's cache, or one in the folder `otherwise` where it cannot be written."""
    cache = user_cache()
    try:
        cache.folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Cache(otherwise)
    return cache if os.access(cache.folder, os.W_OK | os.X_OK) else Cache(otherwise)


def file_digests(paths: Iterable[str]) -> dict[str, str]:
    """SHA-256 by path, in hex; OSError where one cannot be read."""
    return {path: sha256(Path(path).read_bytes()).hexdigest() for path in paths}


def key(kind: str, *parts: object) -> str:
    """A key: what an entry is, and the digest of text, numbers and tuples of them that it comes from."""
    return f"{kind}-{sha256(repr(parts).encode()).hexdigest()}"
