"""Small pieces of C++ text, and the parts of a learner that other programs read."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alpha_build.learner.program import StateLeaf
from alpha_build.projector.emit.learner import safetensors_header, state_hash_pieces
from alpha_build.projector.emit.operations import OperationSource, emit_operations, emit_preambles
from alpha_build.projector.emit.text import Names, bit_pattern, folded, literal, literals, one_line
from alpha_build.projector.project.program import Buffer
from alpha_build.system.digest import canonical


@given(st.binary(max_size=300))
def test_literal_holds_every_byte(data: bytes) -> None:
    """What the compiler reads back is the bytes; each line of a long one stays inside the columns."""
    text = literals(data, indent=4)
    assert max(len(line.strip()) for line in text.splitlines()) <= 96
    assert b"".join(_read(line.strip()) for line in text.splitlines()) == data
    assert _read(literal(data)) == data


def _read(text: str) -> bytes:
    """Adjacent-free C++ literal to bytes: escapes are \\", \\\\ and three octal digits."""
    assert text[0] == text[-1] == '"'
    out, at = bytearray(), 1
    while at < len(text) - 1:
        if text[at] != "\\":
            out.append(ord(text[at]))
            at += 1
        elif text[at + 1].isdigit():
            out.append(int(text[at + 1 : at + 4], 8))
            at += 4
        else:
            out.append(ord(text[at + 1]))
            at += 2
    return bytes(out)


@given(st.lists(st.text("abc", min_size=1, max_size=30), min_size=1, max_size=40))
def test_folded_keeps_items(items: list[str]) -> None:
    text = folded(items, indent=8, reserve=2)
    assert text.replace("\n", " ").replace(" ", "").split(",") == items
    first, *rest = text.split("\n")
    assert len(first) + 8 <= 100
    assert all(len(line) <= 100 for line in rest)


def test_names_are_taken_once() -> None:
    names = Names(["kRole"])
    assert [names.constant(word) for word in ("round", "round", "role", "child[0]", "a_b", "a-b")] == [
        "kRound", "kRound2", "kRole2", "kChild0", "kAB", "kAB2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("element", "value", "bits"),
    [("f32", 1.0, 0x3F800000), ("f32", -0.0, 0x80000000), ("f64", 1.0, 0x3FF0000000000000),
     ("i32", -1, 0xFFFFFFFF), ("i64", -2, 2**64 - 2), ("word", 1, 1),
     ("bytes", 7, 7), ("bf16", 1.0, 0x3F80), ("f16", 1.0, 0x3C00)],
)  # fmt: skip
def test_bit_pattern(element: str, value: float, bits: int) -> None:
    assert bit_pattern(element, value) == bits  # type: ignore[arg-type]


def test_comments_stay_on_their_line() -> None:
    assert one_line("a\nint main() {}\\") == "a?int main() {}?"


LEAVES = [
    StateLeaf("params/b", np.zeros((), np.int32)),
    StateLeaf("params/β", np.zeros((2, 3), np.float32)),
    *(StateLeaf(f"params/w{index}", np.zeros(300, np.float64)) for index in range(30)),
]


def test_state_hash_pieces_are_canonical_cbor() -> None:
    digests = [bytes([index]) * 32 for index in range(len(LEAVES))]
    rows = [
        [leaf.name, {"int32": "I32", "float32": "F32", "float64": "F64"}[leaf.array.dtype.name],
         list(leaf.array.shape), digest]
        for leaf, digest in zip(LEAVES, digests, strict=True)
    ]  # fmt: skip
    pieces = state_hash_pieces(LEAVES)
    joined = b"".join(part for pair in zip(pieces, [*digests, b""], strict=True) for part in pair)
    assert joined == canonical(rows)


def test_shard_header_is_read_by_safetensors() -> None:
    from safetensors.numpy import load

    header = safetensors_header(LEAVES)
    assert len(header) % 8 == 0
    assert list(json.loads(header[8:])) == [leaf.name for leaf in LEAVES]
    found = load(header + b"".join(leaf.array.tobytes() for leaf in LEAVES))
    assert {name: array.shape for name, array in found.items()} == {
        leaf.name: leaf.array.shape for leaf in LEAVES
    }


def _operation(name: str, preamble: str = "", reads: tuple[str, ...] = ()) -> OperationSource:
    return OperationSource(name, reads, ("go",), "go = 1;", preamble, "p.py", 3, 4, 2)


def test_operations_see_their_regions() -> None:
    buffers = (Buffer("x", "f32", 4), Buffer("go", "word", 1))
    (emitted,) = emit_operations([_operation("a-b", reads=("x", "go"))], buffers, ["kBufferX", "kBufferGo"])
    assert emitted.parameters == "alpha::Span<const float> x, std::uint64_t& go, std::uint64_t round"
    assert emitted.body_function == "a_b_body"
    assert emitted.line_directive == '#line 4 "p.py"'


def test_shared_preamble_stands_once() -> None:
    """In the order of the operations: one may build on another's."""
    operations = [
        _operation("a", "int f();"),
        _operation("b"),
        _operation("c", "int g();"),
        _operation("d", "int f();"),
    ]
    preambles = emit_preambles(operations)
    assert [(each.line_directive, each.text) for each in preambles] == [
        ('#line 2 "p.py"', "int f();\n"), ('#line 2 "p.py"', "int g();\n"),
    ]  # fmt: skip
