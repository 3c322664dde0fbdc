"""A build as the launcher needs it: what `manifest.json` says of each role, checked against the files."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from alpha_build.system.contract import Budgets
from alpha_build.system.errors import AlphaError

FORMAT = 1
T = TypeVar("T")


@dataclass(frozen=True)
class Edge:
    """One end of an edge, as the role sees it; port 0 means that the kernel of the listening end picks."""

    peer: int
    port: int
    side: Literal["lower", "higher"]  # which end this role is: the lower listens


@dataclass(frozen=True)
class SampleFile:
    """Samples that lie beside an executable."""

    path: Path
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Artifact:
    """One role's executable and its place in the run."""

    role: int
    target: str
    path: Path
    sha256: str
    edges: tuple[Edge, ...]
    samples: SampleFile | None = None

    @property
    def announced(self) -> int:
        """How many ports the role writes on its standard output."""
        return sum(edge.side == "lower" for edge in self.edges)

    @property
    def heard(self) -> tuple[int, ...]:
        """Lower peers whose ports the role reads from its standard input, in edge order."""
        return tuple(edge.peer for edge in self.edges if edge.side == "higher" and edge.port == 0)


@dataclass(frozen=True)
class Build:
    """A folder made by `alpha-build roles`; artifacts in role order."""

    folder: Path
    name: str
    run: str
    learns: bool
    artifacts: tuple[Artifact, ...]
    budgets: Budgets = field(default_factory=Budgets)


def read_build(folder: Path) -> Build:
    """What is in `folder`, from its manifest alone; AlphaError when this release cannot run it."""
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise AlphaError(
            f"there is no build in {folder}",
            kind="no-build",
            hint=f"make one: alpha-build roles SYSTEM --out {folder}",
        ) from None
    except (OSError, ValueError, RecursionError) as error:
        raise _bad_manifest(path, str(error)) from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found != FORMAT:
        raise _bad_manifest(path, f"its format is {found!r}, and this release runs format {FORMAT}")
    try:
        return _build(folder, manifest)
    except KeyError as error:
        raise _bad_manifest(path, f"it does not say {error}") from None
    except (AttributeError, TypeError, ValueError, OverflowError) as error:
        raise _bad_manifest(path, str(error)) from None


def verify(build: Build) -> None:
    """Compares every file with the digest in the manifest, before anything is started."""
    for artifact in build.artifacts:
        role, samples = artifact.role, artifact.samples
        other = "is not the one that was"
        _verify_file(f"role {role}'s executable", other, artifact.path, artifact.sha256)
        if samples is not None:
            other = "are not those that were"
            _verify_file(f"role {role}'s samples", other, samples.path, samples.sha256)


def _verify_file(what: str, other: str, path: Path, sha256: str) -> None:
    """`other` is how the sentence goes on where the digest is another."""
    try:
        if not path.is_file() and path.exists():
            raise OSError(0, "it is no regular file")  # a pipe would have us wait
        with open(path, "rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise AlphaError(
            f"{what} cannot be read: {error.strerror}",
            kind="no-artifact",
            where=str(path),
            hint="build again with alpha-build roles, or copy the whole folder",
        ) from None
    if found != sha256:
        raise AlphaError(
            f"{what} {other} built: SHA-256 {found}, manifest {sha256}",
            kind="artifact-digest",
            where=str(path),
            hint="build again with alpha-build roles, or copy the whole folder again",
        )


def command(artifact: Artifact) -> list[str]:
    """How this machine starts the artifact: by itself, or under an emulator of its instruction set."""
    machine = platform.machine()
    if artifact.target == {"AMD64": "x86_64", "arm64": "aarch64"}.get(machine, machine):
        if not os.access(artifact.path, os.X_OK):
            raise AlphaError(
                f"role {artifact.role}'s executable may not be executed",
                kind="not-executable",
                where=str(artifact.path),
                hint=f"chmod +x {artifact.path}, on a file system that is not mounted noexec",
            )
        return [str(artifact.path)]
    emulator = find_emulator(artifact.target)
    if emulator is None:
        raise AlphaError(
            f"role {artifact.role} is an {artifact.target} program, this machine is {machine}, "
            f"and qemu-{artifact.target}-static is not on PATH",
            kind="no-emulator",
            where=str(artifact.path),
            hint="apt-get install qemu-user-static",
        )
    return [emulator, str(artifact.path)]


def find_emulator(target: str) -> str | None:
    """Path of the user-mode emulator of `target`, if it is here."""
    return shutil.which(f"qemu-{target}-static") or shutil.which(f"qemu-{target}")


def _build(folder: Path, manifest: dict[str, Any]) -> Build:
    artifacts = [_artifact(folder, row) for row in _typed(manifest, "roles", list)]
    artifacts.sort(key=lambda artifact: artifact.role)
    roles = {artifact.role for artifact in artifacts}
    if not artifacts or len(roles) != len(artifacts):
        raise ValueError("its roles are missing or listed twice")
    for artifact in artifacts:
        for edge in artifact.edges:
            if edge.peer not in roles:
                raise ValueError(f"role {edge.peer}, a peer of role {artifact.role}, is not in it")
    return Build(
        folder=folder,
        name=_typed(manifest, "name", str),
        run=_typed(manifest, "run", str),
        learns=manifest.get("learner") is not None,
        artifacts=tuple(artifacts),
        budgets=_budgets(manifest) if "budgets" in manifest else Budgets(),
    )


def _artifact(folder: Path, row: dict[str, Any]) -> Artifact:
    samples = row.get("samples")
    return Artifact(
        role=_typed(row, "role", int),
        target=_typed(row, "target", str),
        path=_plain(folder, _typed(row, "file", str)),
        sha256=_typed(row, "sha256", str),
        edges=tuple(_edge(edge) for edge in _typed(row, "edges", list)),
        samples=None
        if samples is None
        else SampleFile(
            _plain(folder, _typed(samples, "file", str)),
            _typed(samples, "bytes", int),
            _typed(samples, "sha256", str),
        ),
    )


def _plain(folder: Path, file: str) -> Path:
    """A file of the folder itself."""
    if Path(file).name != file:
        raise ValueError(f"{file!r} is not a plain file name")
    return folder.absolute() / file


def _edge(row: dict[str, Any]) -> Edge:
    if row["side"] not in ("lower", "higher"):
        raise ValueError(f"an edge's side is {row['side']!r}")
    return Edge(peer=_typed(row, "peer", int), port=_typed(row, "port", int), side=row["side"])


def _budgets(manifest: dict[str, Any]) -> Budgets:
    found = _typed(manifest, "budgets", dict)
    for name, value in found.items():
        if value is not None:
            _typed(found, name, float if isinstance(value, float) else int)
    return Budgets(**found)


def _typed(row: Any, key: str, kind: type[T]) -> T:
    """A part of a manifest, of the kind that a build writes."""
    if not isinstance(row, dict):
        raise ValueError(f"{row!r} stands where {key!r} should be said")
    value = row[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{key!r} is {value!r}")
    return value


def _bad_manifest(path: Path, why: str) -> AlphaError:
    return AlphaError(
        f"the manifest cannot be used: {why}",
        kind="bad-manifest",
        where=str(path),
        hint="build again with alpha-build roles",
    )
