"""Strategies that spoil a right input: its bytes, or a value of a JSON tree."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import strategies as st

_EDITS = st.lists(
    st.tuples(
        st.integers(0, 2**32),
        st.sampled_from(["change", "insert", "remove", "repeat", "cut"]),
        st.binary(max_size=9),
    ),
    min_size=1,
    max_size=6,
)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=5,
)


def spoiled_bytes(right: bytes) -> st.SearchStrategy[bytes]:
    return _EDITS.map(lambda edits: _edited(right, edits)) | st.binary(max_size=64)


def spoiled_json(right: Any) -> st.SearchStrategy[Any]:
    return st.tuples(st.integers(0, 2**32), _JSON, st.booleans()).map(lambda edit: _replaced(right, *edit))


def _edited(right: bytes, edits: list[tuple[int, str, bytes]]) -> bytes:
    data = bytearray(right)
    for place, deed, value in edits:
        at = place % (len(data) + 1)
        if deed == "change":
            data[at : at + len(value)] = value
        elif deed == "insert":
            data[at:at] = value
        elif deed == "remove":
            del data[at : at + len(value)]
        elif deed == "repeat":
            data[at:at] = data[at : at + 40]
        else:
            del data[at:]
    return bytes(data)


def _replaced(right: Any, which: int, value: Any, leave_out: bool) -> Any:
    """The tree with one of its values, the whole included, changed."""
    tree = {"": copy.deepcopy(right)}
    places: list[tuple[Any, Any]] = []

    def visit(node: Any) -> None:
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            places.append((node, key))
            visit(node[key])

    visit(tree)
    node, key = places[which % len(places)]
    if leave_out and node is not tree:
        del node[key]
    else:
        node[key] = value
    return tree[""]
