"""One owner's published generation: pointer, manifest and shard, each checked against the one before."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alpha_build.learner.tensors import tensor_dtype
from alpha_build.state.digest import payload_digest, state_hash
from alpha_build.system.errors import AlphaError

FORMAT = 1
_POINTER = re.compile(rb"(\d{1,19}) ([0-9a-f]{64})\n")
_ROLE = re.compile(r"role-(\d+)")


@dataclass(frozen=True)
class Tensor:
    """A tensor as the manifest lists it; `digest` is of its bytes, hexadecimal."""

    name: str
    dtype: str  # safetensors spelling
    shape: tuple[int, ...]
    digest: str


@dataclass(frozen=True)
class Generation:
    """What one owner published; `tensors` in name order."""

    folder: Path
    role: int
    generation: int
    round: int
    state: str  # the state hash as the owner computed it
    shard: Path
    shard_sha256: str
    tensors: tuple[Tensor, ...]


def owners(folder: Path) -> dict[int, Path]:
    """The owners' folders in a run's state folder, by role."""
    found = {}
    for path in folder.iterdir() if folder.is_dir() else ():
        if (match := _ROLE.fullmatch(path.name)) and path.is_dir():
            found[int(match[1])] = path
    return dict(sorted(found.items()))


def published(folder: Path) -> Generation:
    """The generation that an owner's folder points to; AlphaError if none, or its manifest differs."""
    path = folder / "published"
    try:
        pointer = _POINTER.fullmatch(path.read_bytes())
    except FileNotFoundError:
        raise AlphaError(
            "no state was published here",
            kind="no-state",
            where=str(folder),
            hint="give the state folder of a run that ended well, such as dist/state",
        ) from None
    if pointer is None:
        raise altered(path, "it is not a generation and a digest")
    where = folder / f"generation-{int(pointer[1])}"
    path = where / "manifest.json"
    raw = read(path)
    if (found := hashlib.sha256(raw).hexdigest()) != pointer[2].decode():
        raise altered(path, f"its SHA-256 is {found}, published was {pointer[2].decode()}")
    try:
        manifest = json.loads(raw)
        if manifest["format"] != FORMAT:
            raise AlphaError(
                f"its format is {manifest['format']!r}, and this release reads format {FORMAT}",
                kind="state-format",
                where=str(path),
                hint="read it with the release that wrote it",
            )
        return _generation(where, manifest)
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise altered(path, f"{type(error).__name__}: {error}") from None


def arrays(generation: Generation) -> dict[str, np.ndarray]:
    """The shard's tensors by name, once the shard's digest and its tensors are as the manifest says."""
    from safetensors import SafetensorError, deserialize

    raw = read(generation.shard)
    if (digest := hashlib.sha256(raw).hexdigest()) != generation.shard_sha256:
        raise altered(
            generation.shard, f"its SHA-256 is {digest}, the manifest says {generation.shard_sha256}"
        )
    try:
        held = dict(deserialize(raw))  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise altered(generation.shard, str(error)) from None
    listed = {tensor.name: (tensor.dtype, tensor.shape) for tensor in generation.tensors}
    if {name: (part["dtype"], tuple(part["shape"])) for name, part in held.items()} != listed:
        raise altered(generation.shard, "its tensors are not those of the manifest")
    found = {}
    for tensor in generation.tensors:
        flat = np.frombuffer(held[tensor.name]["data"], tensor_dtype(tensor.dtype))
        found[tensor.name] = flat.reshape(tensor.shape)
    return found


def hash_of(generation: Generation) -> str:
    """The state hash from the shard's own bytes; AlphaError where manifest and bytes disagree."""
    held = arrays(generation)
    rows = []
    for tensor in generation.tensors:
        digest = payload_digest(held[tensor.name].tobytes())
        if digest.hex() != tensor.digest:
            raise altered(
                generation.shard, f"tensor {tensor.name}'s digest is {digest.hex()}, not {tensor.digest}"
            )
        rows.append((tensor.name, tensor.dtype, tensor.shape, digest))
    found = state_hash(rows)
    if found != generation.state:
        raise altered(generation.folder, f"the state's hash is {found}, the manifest says {generation.state}")
    return found


def read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AlphaError(
            f"a published file cannot be read: {error.strerror}",
            kind="state-file",
            where=str(path),
            hint="copy the whole state folder again, or take another owner's",
        ) from None


def altered(path: Path, why: str) -> AlphaError:
    return AlphaError(
        f"the state is not as it was published: {why}",
        kind="state-digest",
        where=str(path),
        hint="copy the whole state folder again, or take another owner's",
    )


def _generation(folder: Path, manifest: dict[str, Any]) -> Generation:
    file = str(manifest["shard"]["file"])
    if Path(file).name != file:
        raise ValueError(f"{file!r} is not a plain file name")
    tensors = [
        Tensor(str(row["name"]), str(row["dtype"]), tuple(map(int, row["shape"])), str(row["digest"]))
        for row in manifest["tensors"]
    ]
    return Generation(
        folder=folder,
        role=int(manifest["role"]),
        generation=int(manifest["generation"]),
        round=int(manifest["round"]),
        state=str(manifest["state"]),
        shard=folder / file,
        shard_sha256=str(manifest["shard"]["sha256"]),
        tensors=tuple(sorted(tensors, key=lambda tensor: tensor.name)),
    )
