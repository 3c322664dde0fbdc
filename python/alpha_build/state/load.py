"""`load_state`: the pytree that training started from, trained, from a run's published files."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from alpha_build.learner.structure import guess, rebuild
from alpha_build.state.generation import Generation, arrays, hash_of, owners, published
from alpha_build.system.errors import AlphaError

SAVED_LEARNER = "learner.cbor"  # beside a build's state folder; it knows a tuple from a list


@dataclass(frozen=True)
class OwnerState:
    """One owner's published state, its hash computed from the shard's own bytes."""

    role: int
    generation: int
    round: int
    hash: str


def load_state(path: str | PathLike[str], like: Any = None, optimizer: bool = False) -> Any:
    """The trained parameters published under `path`, a run's state folder or one owner's folder in it.

    Every file is checked against the digest that names it, from the root's pointer on.  Returns nested dicts,
    lists and tuples of NumPy arrays; with `like`, a tree of the same structure, also of NamedTuples and
    classes of one's own, whose leaves are replaced.  With `optimizer`, a pair (parameters, optimiser state),
    and `like`, if given, is such a pair.

    Raises:
        AlphaError: nothing was published there, a file is missing or altered, or `like` has other leaves.
    """
    folder = Path(path)
    generation = published(_owner(folder))
    held = arrays(generation)
    if like is not None:
        roots = ("params", "optimizer") if optimizer else ("params",)
        trees = [
            _like(tree, root, held, generation)
            for root, tree in zip(roots, like if optimizer else (like,), strict=True)
        ]
        return tuple(trees) if optimizer else trees[0]
    structures = _structures(generation, held)
    params = rebuild(structures["params"], held.__getitem__)
    return (params, rebuild(structures["optimizer"], held.__getitem__)) if optimizer else params


def states(path: str | PathLike[str]) -> tuple[OwnerState, ...]:
    """Every owner's state under a run's state folder, in role order, verified byte by byte."""
    found = []
    for role, folder in owners(Path(path)).items():
        generation = published(folder)
        found.append(OwnerState(role, generation.generation, generation.round, hash_of(generation)))
    return tuple(found)


def _owner(folder: Path) -> Path:
    """The folder itself if it is an owner's, else that of the root, the lowest role."""
    if (folder / "published").exists():
        return folder
    found = owners(folder)
    if found:
        return next(iter(found.values()))
    inner = folder / "state"
    raise AlphaError(
        "there is no published state here",
        kind="no-state",
        where=str(folder),
        hint=f"give {inner}"
        if owners(inner)
        else "give the state folder of a run that ended well: dist/state",
    )


def _structures(generation: Generation, held: dict[str, np.ndarray]) -> dict[str, Any]:
    """How parameters and optimiser state nest: as the build saved it if it is near, else as the names say."""
    saved = generation.folder.absolute().parents[2] / SAVED_LEARNER
    if saved.is_file():
        from alpha_build.learner.saved import load
        from alpha_build.system.errors import LearnerFailure

        try:
            structures = load(saved).structure
        except LearnerFailure:
            structures = {}
        if structures and set(_names(structures)) == set(held):
            return structures
    return {root: _guessed(root, list(held)) for root in ("params", "optimizer")}


def _guessed(root: str, names: list[str]) -> Any:
    under = [name for name in names if name == root or name.startswith(root + "/")]
    if not under:
        return {"kind": "tuple", "parts": []}
    structure = guess(under)
    return structure if structure["kind"] == "leaf" else dict(structure["parts"])[root]


def _names(structures: dict[str, Any]) -> list[str]:
    names: list[str] = []
    for structure in structures.values():
        rebuild(structure, names.append)
    return names


def _like(tree: Any, root: str, held: dict[str, np.ndarray], generation: Generation) -> Any:
    """`tree` with its leaves replaced by those of the state."""
    from alpha_build.learner.trace_tree import leaf_names, with_leaves

    named = leaf_names(root, tree)
    asked = {name for name, _ in named}
    there = {name for name in held if name == root or name.startswith(root + "/")}
    if asked != there:
        raise AlphaError(
            f"like= and the state have different leaves: {_few(asked - there)} only in like=, "
            f"{_few(there - asked)} only in the state",
            kind="state-structure",
            where=str(generation.folder),
            hint="give the tree that the learner's state= was, or leave like= out",
        )
    return with_leaves(tree, [held[name] for name, _ in named])


def _few(names: set[str]) -> str:
    shown = sorted(names)[:4]
    return ", ".join(shown) + (" and more" if len(names) > 4 else "") if shown else "none"
