"""`alpha-build verify`: makes a build's code again, without the cache, and compares every byte."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from alpha_build.build import bill, output
from alpha_build.build.build import build
from alpha_build.build.cache import Cache
from alpha_build.build.compilers import Compilers, class_sources
from alpha_build.build.elf import Image, read_artifact
from alpha_build.build.generate import Progress
from alpha_build.build.manifest import learner_source
from alpha_build.build.sources import CMAKE_FILE
from alpha_build.build.stamp import decode, with_edges
from alpha_build.build.toolchains import TARGETS
from alpha_build.inspect import inspect
from alpha_build.system.errors import BuildFailure

_WITH_SYSTEM = "give the system too: alpha-build verify DIST SYSTEM"
_CLASS = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True)
class Verified:
    """`differences` by file: what of it is not what was made again, empty when nothing is."""

    name: str
    files: tuple[str, ...]
    differences: Mapping[str, str]
    notes: tuple[str, ...]  # what may explain a difference: another compiler

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": not self.differences,
            "name": self.name,
            "files": list(self.files),
            "differences": dict(self.differences),
            "notes": list(self.notes),
        }


def verify(
    dist: Path, spec: str | None, toolchain: str | None, progress: Progress = lambda stage, done, total: None
) -> Verified:
    """Compare a build with what its sources give: those of `spec`, or without one those in `dist`/src.

    With `spec` the rows that are stamped are compared too, all but addresses, which `bind` may have changed.

    Raises:
        AlphaError: there is no build, the system is refused, a tool is missing.
    """
    manifest = inspect(dist)
    for entry in manifest["roles"]:
        name = entry.get("class")
        if entry.get("target") not in TARGETS or not (isinstance(name, str) and _CLASS.fullmatch(name)):
            raise BuildFailure(
                f"role {entry['role']} is of class {name!r} for {entry.get('target')!r}",
                kind="bad-manifest",
                where=str(dist / "manifest.json"),
                hint="build again with alpha-build roles",
            )
    listed = bill.compilers(bill.read(dist, manifest))
    families = {name.split("-")[0] for name in listed}
    family = toolchain or (families.pop() if len(families) == 1 else None)
    with tempfile.TemporaryDirectory(prefix="alpha-build-verify-") as name:
        folder = Path(name)
        cache = Cache(folder / "cache")
        if spec is not None:
            build(
                spec, folder / "dist", roles=[entry["role"] for entry in manifest["roles"]],
                toolchain=family, cache=cache, progress=progress,
            )  # fmt: skip
            compare = partial(_whole_differs, folder / "dist")
            used = bill.compilers(bill.read(folder / "dist", manifest))
        else:
            images, used = _images(dist, manifest, folder, cache, family, progress)
            compare = partial(_code_differs, images)
        found = {entry["file"]: _differs(dist, entry, compare) for entry in manifest["roles"]}
        found |= samples_differ(dist, manifest)
    notes = tuple(
        f"{target}: built by {before}, now by {used[target]}"
        for target, before in sorted(listed.items())
        if used.get(target, before) != before
    )
    differences = {file: what for file, what in found.items() if what}
    return Verified(str(manifest["name"]), tuple(found), differences, notes)


def _images(
    dist: Path,
    manifest: Mapping[str, Any],
    folder: Path,
    cache: Cache,
    family: str | None,
    progress: Progress,
) -> tuple[dict[str, Image], dict[str, str]]:
    """Classes compiled from the sources that lie in the build, and what compiled them."""
    targets = {entry["class"]: entry["target"] for entry in manifest["roles"]}
    try:
        names = [CMAKE_FILE, *(f"{name}.cpp" for name in targets)]
        if manifest["learner"] is not None:
            names += [learner_source(target) for target in sorted(set(targets.values()))]
        texts = {name: (dist / "src" / name).read_text(encoding="utf-8") for name in names}
    except (OSError, UnicodeDecodeError) as error:
        raise BuildFailure(
            f"the build's sources cannot be read: {getattr(error, 'strerror', None) or error}",
            kind="no-sources",
            where=str(getattr(error, "filename", dist / "src")),
            hint=_WITH_SYSTEM,
        ) from None
    with Compilers(None, cache, family, partial(progress, "compile")) as compilers:
        compilers.begin(targets.values(), missing_ok=False)
        output.write_sources(folder / "src", texts)
        kernels = manifest["learner"] is not None
        try:
            images = compilers.compile(folder, class_sources(targets, texts, kernels=kernels), frozenset())
        except BuildFailure as error:  # whose log lies in a folder that goes
            if error.kind != "disk-full":
                error.where, error.hint = str(dist / "src"), _WITH_SYSTEM
            raise
        used = {each.name: each.identity for each in compilers.toolchains(targets.values())}
    return {name: Image(data) for name, data in images.items()}, used


def _differs(
    dist: Path, entry: Mapping[str, Any], compare: Callable[[Mapping[str, Any], bytes], str | None]
) -> str | None:
    try:
        data = (dist / entry["file"]).read_bytes()
        changed = (
            None if sha256(data).hexdigest() == entry["sha256"] else "it is not the file of the manifest"
        )
        return compare(entry, data) or changed
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except BuildFailure as error:
        return error.message


def samples_differ(dist: Path, manifest: Mapping[str, Any]) -> dict[str, str | None]:
    """Files of samples beside executables, as their executables and the manifest know them."""
    found: dict[str, str | None] = {}
    for entry in manifest["roles"]:
        if entry.get("samples") is None:
            continue
        path = dist / entry["samples"]["file"]
        try:
            expected = decode(read_artifact((dist / entry["file"]).read_bytes()).stamp).samples
            data = path.read_bytes() if path.is_file() else b""
        except (OSError, BuildFailure) as error:
            found[path.name] = f"it cannot be compared: {error}"
            continue
        there = {"file": path.name, "bytes": len(data), "sha256": sha256(data).hexdigest()}
        if (path.name, len(data), there["sha256"]) != expected:
            found[path.name] = "it is not the file that its executable was made with"
        else:
            found[path.name] = None if there == entry["samples"] else "it is not the file of the manifest"
    return found


def _code_differs(images: Mapping[str, Image], entry: Mapping[str, Any], data: bytes) -> str | None:
    artifact = read_artifact(data)
    pieces, _ = images[entry["class"]].finish([artifact.stamp], artifact.notes)
    return None if b"".join(pieces) == data else "its code is not what src gives"


def _whole_differs(fresh: Path, entry: Mapping[str, Any], data: bytes) -> str | None:
    path = fresh / entry["file"]
    if not path.is_file():
        return "the system has no such executable"
    made = path.read_bytes()
    if made == data:
        return None
    artifact, again = read_artifact(data), read_artifact(made)
    here, there = decode(artifact.stamp), decode(again.stamp)
    if [edge.peer for edge in here.edges] != [edge.peer for edge in there.edges]:
        return "its neighbours are not the system's"
    if with_edges(again.stamp, here.edges, here.host_roles) != artifact.stamp:
        return "its rows (run, budgets, ranges or samples) are not what the system gives"
    pieces, _ = Image(made).finish([artifact.stamp], artifact.notes)
    return None if b"".join(pieces) == data else "its code is not what the system gives"
