"""A state's nesting as JSON, and the nested dicts, lists and tuples that it describes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Structure = dict[str, Any]


def rebuild(structure: Structure, leaf: Callable[[str], Any]) -> Any:
    """The tree, with `leaf(name)` in the place of each leaf.

    A NamedTuple or class of the user's own (kind "other") comes back as a dict of its fields: to get the
    real type, unflatten into a tree of that type instead.
    """
    kind = structure["kind"]
    if kind == "none":
        return None
    if kind == "leaf":
        return leaf(structure["name"])
    parts = [(key, rebuild(part, leaf)) for key, part in structure["parts"]]
    if kind == "list":
        return [value for _, value in parts]
    if kind == "tuple":
        return tuple(value for _, value in parts)
    return dict(parts)


def guess(names: list[str]) -> Structure:
    """A structure from leaf names alone: parts 0, 1, ... are a list, anything else a dict."""
    if len(names) == 1 and "/" not in names[0]:
        return {"kind": "leaf", "name": names[0]}
    return _guess("", {name: name for name in names})


def _guess(prefix: str, names: dict[str, str]) -> Structure:
    if set(names) == {""}:
        return {"kind": "leaf", "name": names[""]}
    groups: dict[str, dict[str, str]] = {}
    for rest, name in names.items():
        head, _, tail = rest.partition("/")
        groups.setdefault(head, {})[tail] = name
    if set(groups) == {str(i) for i in range(len(groups))}:
        ordered = [(str(i), groups[str(i)]) for i in range(len(groups))]
        return {"kind": "list", "parts": [[k, _guess(f"{prefix}/{k}", v)] for k, v in ordered]}
    return {"kind": "dict", "parts": [[k, _guess(f"{prefix}/{k}", v)] for k, v in groups.items()]}
