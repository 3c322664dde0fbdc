"""What a wheel, or a folder with builds below it, carries: manifests, and the files compared with them."""

from __future__ import annotations

import hashlib
import json
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from email.parser import HeaderParser
from pathlib import Path, PurePosixPath
from typing import Any

from alpha_build.run.artifacts import read_build, verify
from alpha_build.system.errors import AlphaError

MANIFEST = "manifest.json"


def inspect_wheel(path: Path) -> dict[str, Any]:
    """Name, version, tags and builds of a wheel.

    Raises:
        AlphaError: it is no wheel, carries no build, or a build in it is not whole.
    """
    try:
        with zipfile.ZipFile(path) as archive, tempfile.TemporaryDirectory(prefix="alpha-build-") as folder:
            facts = _metadata(archive)
            folders = {
                str(PurePosixPath(name).parent): Path(archive.extract(name, folder)).parent
                for name in archive.namelist()
                if PurePosixPath(name).name == MANIFEST and _is_ours(archive.read(name))
            }
            for name in archive.namelist():
                if str(PurePosixPath(name).parent) in folders and not name.endswith("/"):
                    archive.extract(name, folder)  # zipfile keeps it below the folder, whatever its name
            with _said_of(path, folder):
                builds = _builds(Path(folder), sorted(folders.values()))
    except (OSError, zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise AlphaError(
            f"not a wheel that can be read: {error}",
            kind="no-wheel", where=str(path), hint="give a wheel, or another artifact of alpha-build",
        ) from None  # fmt: skip
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "file": str(path),
        "bytes": path.stat().st_size,
        "sha256": digest,
        **facts,
        "builds": _some(builds, path),
    }


def inspect_folder(path: Path) -> dict[str, Any]:
    """Builds that lie anywhere below a folder, an installed package's for one."""
    manifests = (each for each in path.rglob(MANIFEST) if _is_ours(each.read_bytes()))
    return {
        "file": str(path),
        "builds": _some(_builds(path, sorted(each.parent for each in manifests)), path),
    }


@contextmanager
def _said_of(wheel: Path, folder: str) -> Iterator[None]:
    """A failure in what was unpacked for a moment names the wheel and the place in it."""
    try:
        yield
    except AlphaError as error:
        place = Path(error.where).relative_to(folder).as_posix() if error.where else ""
        error.where, error.hint = f"{wheel}, {place}", "make the wheel again, or copy it again"
        raise


def _metadata(archive: zipfile.ZipFile) -> dict[str, Any]:
    ends = ".dist-info/METADATA"
    info = next((name for name in archive.namelist() if name.endswith(ends)), ends)
    parser = HeaderParser()
    package = parser.parsestr(archive.read(info).decode())
    wheel = parser.parsestr(archive.read(info.replace("METADATA", "WHEEL")).decode())
    tags = wheel.get_all("Tag", [])
    return {"name": package["Name"], "version": package["Version"], "tags": tags}


def _builds(top: Path, folders: Iterable[Path]) -> list[dict[str, Any]]:
    builds = []
    for folder in folders:
        verify(read_build(folder))
        manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
        builds.append({"file": folder.relative_to(top).as_posix(), **manifest})
    return builds


def _some(builds: list[dict[str, Any]], path: Path) -> list[dict[str, Any]]:
    if not builds:
        raise AlphaError(
            "there is no build in it",
            kind="no-build", where=str(path), hint="make one with alpha-build roles",
        )  # fmt: skip
    return builds


def _is_ours(manifest: bytes) -> bool:
    """Other programs and roles' states have files of that name too."""
    try:
        found = json.loads(manifest)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "roles" in found and "run" in found
