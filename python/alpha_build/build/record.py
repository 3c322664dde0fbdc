"""`dist/build/made-from.json`: what a build was made from; the same call again finds whether that changed."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import astuple
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from alpha_build.build import manifest, output
from alpha_build.build.bill import file_name
from alpha_build.build.cache import writable_cache
from alpha_build.build.configure import runtime_digest
from alpha_build.build.inputs import Inputs, content, own_files
from alpha_build.build.toolchains import find
from alpha_build.build.tools import find_build_tools
from alpha_build.build.trees import ClassSource, class_key
from alpha_build.build.watch import Watch
from alpha_build.system.errors import BuildFailure
from alpha_build.version import version

FORMAT = 1
FILE = "made-from.json"
_OF_THE_SHELL = ("_", "SHLVL", "OLDPWD")  # what a shell changes by itself


def asked(
    spec: str | None, roles: Collection[int], toolchain: str | None, program: Path | None
) -> dict[str, Any]:
    """What a call is, and finds before it looks at the system: folder, Python, environment."""
    environment = sorted(item for item in os.environ.items() if item[0] not in _OF_THE_SHELL)
    return {
        "release": version(),
        "arguments": [spec, sorted(set(roles)), toolchain, program and str(program)],
        "folder": os.getcwd(),
        "python": [sys.version, sys.executable, repr(sys.flags), sys.path[:]],
        "environment": sha256(repr(environment).encode()).hexdigest(),
    }


def unchanged(out: Path, asked: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]] | None:
    """Manifest, of the roles that are asked for, and notices of a build that this call would make again.

    None where anything of what the build was made from, or of itself, is not as it was, or cannot be told.
    """
    folder = out.absolute()
    try:
        record = json.loads((folder / "build" / FILE).read_bytes())
        if (record["format"], record["asked"]) != (FORMAT, asked):
            return None
        made = json.loads((folder / manifest.FILE).read_bytes())
        whole = (
            Inputs.from_json(record["read"]).digest() == record["digest"]
            and _digests(folder, record["made"]) == record["made"]
            and all(map(partial(_is_whole, folder), made["roles"]))
            and _compiled(folder, record["classes"], asked["arguments"][2])
        )
        roles = [row for row in made["roles"] if row["role"] in record["roles"]]
        return ({**made, "roles": roles}, record["notices"]) if whole else None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, BuildFailure):
        return None


class Recorder:
    """Watches what one call reads, and writes it down beside what was made."""

    def __init__(self, asked: Mapping[str, Any]) -> None:
        self.watch = Watch()
        self._asked = asked
        self._headers: tuple[str, ...] = ()
        self._begin_ns = time.time_ns()

    def files(self) -> list[str]:
        """Files that the build was made from and that lie there: the user's, and alpha-build's own."""
        inputs = Inputs.of(self.watch)
        own = map(str, own_files())
        return sorted({*filter(os.path.isfile, inputs.files), *own, *self._headers})

    def write(
        self,
        folder: Path,
        made: manifest.Manifest,
        sources: Iterable[str],
        classes: Mapping[str, Sequence[ClassSource]],
        headers: Iterable[str],
    ) -> None:
        """Of a whole build in `folder`, which is locked; nothing where something was read that is not told.

        `classes` by target; `headers` are what their sources include.
        """
        self._headers = tuple(headers)
        path = folder / "build" / FILE
        inputs = Inputs.of(self.watch)
        told = not self.watch.unseen and all(each.cacheable for row in classes.values() for each in row)
        if not told or inputs.may_have_changed(self.watch, self._begin_ns):
            path.unlink(missing_ok=True)
            return
        files = [manifest.FILE, manifest.SAVED_LEARNER, file_name(made.head)]
        files += [f"src/{name}" for name in sources]
        record = {
            "format": FORMAT,
            "asked": self._asked,
            "read": inputs.as_json(),
            "digest": inputs.digest(),
            "made": _digests(folder, files),
            "roles": [entry.role for entry in made.entries],
            "classes": [[target, *astuple(each)] for target, row in classes.items() for each in row],
            "notices": list(made.notices),
        }
        output.replace(path, [json.dumps(record).encode()])


def _digests(folder: Path, names: Iterable[str]) -> dict[str, str | None]:
    """SHA-256 by name of files of a build, nothing for one that is not there."""
    return {name: content(str(folder / name)) for name in names}


def _is_whole(folder: Path, entry: Mapping[str, Any]) -> bool:
    path, samples = folder / entry["file"], entry["samples"]
    beside = samples is None or content(str(folder / samples["file"])) == samples["sha256"]
    return beside and os.access(path, os.X_OK) and content(str(path)) == entry["sha256"]


def _compiled(folder: Path, classes: Iterable[Sequence[Any]], family: str | None) -> bool:
    """Whether no compiler would start: this machine's tools are the same, and a user's headers."""
    cache, tools, runtime = writable_cache(folder / "build" / "cache"), find_build_tools(), runtime_digest()
    toolchains = {target: find(target, family) for target in {target for target, *_ in classes}}
    return all(
        cache.get(class_key(ClassSource(*source), toolchains[target], tools, runtime)) is not None
        for target, *source in classes
    )
