"""Names of a pytree's leaves (`params/layers/0/w`) and a description of its nesting, for states on disk."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from ..system.errors import LearnerFailure
from .program import StateLeaf
from .trace_data import Narrowing, to_array


def _part(key: Any) -> str:
    for attribute in ("key", "name", "idx"):
        if hasattr(key, attribute):
            return str(getattr(key, attribute))
    return str(key)


def path_name(root: str, path: tuple[Any, ...]) -> str:
    """`root/part/part`; a bare leaf is the root itself."""
    return "/".join([root, *(_part(key) for key in path)])


def leaf_names(root: str, tree: Any) -> list[tuple[str, Any]]:
    """(name, value) of every leaf in pytree order; None is a part of the structure, not a leaf."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [(path_name(root, path), leaf) for path, leaf in leaves]


def with_leaves(tree: Any, leaves: list[Any]) -> Any:
    """`tree` with other leaves, in pytree order."""
    replaced: Any = jax.tree_util.tree_unflatten(jax.tree_util.tree_structure(tree), leaves)
    return replaced


def state_leaves(params: Any, narrowing: Narrowing) -> list[StateLeaf]:
    """The parameters as arrays: floating, free of NaN, under names that do not collide."""
    named = leaf_names("params", params)
    leaves = [StateLeaf(name, to_array(value, name, narrowing)) for name, value in named]
    if not leaves:
        raise LearnerFailure("the state holds no array", kind="state", hint="give state= the parameters")
    for leaf in leaves:
        _check_parameter(leaf)
    return leaves


def _check_parameter(leaf: StateLeaf) -> None:
    dtype = leaf.array.dtype
    if dtype.name not in ("float32", "float64", "float16", "bfloat16"):
        raise LearnerFailure(
            f"{leaf.name} has dtype {dtype}, which has no gradient",
            kind="state-dtype",
            hint="keep integers and flags out of state=: close over them in the loss, or make them floats",
        )
    nan = np.argwhere(np.isnan(leaf.array.astype(np.float64)))
    if len(nan):
        index = ", ".join(str(i) for i in nan[0])
        raise LearnerFailure(
            f"{leaf.name} holds NaN" + (f" at [{index}]" if index else ""),
            kind="state-nan",
            hint="start from finite parameters",
        )


def check_names(leaves: list[StateLeaf]) -> None:
    """Refuse two leaves of one name (a key that holds a slash can do that)."""
    seen: set[str] = set()
    for leaf in leaves:
        if leaf.name in seen:
            raise LearnerFailure(
                f"two leaves of the state are both named {leaf.name}",
                kind="state-names",
                hint="rename a key: path parts are joined by '/'",
            )
        seen.add(leaf.name)


def describe(name: str, tree: Any) -> Any:
    """JSON of a tree's nesting, read back by structure.rebuild: what the leaf names alone do not tell."""
    if tree is None:
        return {"kind": "none"}
    children, _ = jax.tree_util.tree_flatten_with_path(tree, is_leaf=lambda node: node is not tree)
    if len(children) == 1 and children[0][0] == ():
        return {"kind": "leaf", "name": name}
    parts = [(_part(path[0]), child) for path, child in children]
    described = [[part, describe(f"{name}/{part}", child)] for part, child in parts]
    if isinstance(tree, dict):
        keys = [path[0].key for path, _ in children]
        if all(isinstance(key, (str, int)) for key in keys):
            return {"kind": "dict", "parts": [[k, d] for k, (_, d) in zip(keys, described, strict=True)]}
        return {"kind": "dict", "parts": described}
    if isinstance(tree, list):
        return {"kind": "list", "parts": described}
    if isinstance(tree, tuple) and not hasattr(tree, "_fields"):
        return {"kind": "tuple", "parts": described}
    return {"kind": "other", "type": type(tree).__name__, "parts": described}
