"""Element-wise addition, narrow types and both orders against an independent model, bit for bit."""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from combine import model

pytestmark = pytest.mark.native

ELEMENT = {"f32": 2, "f64": 3, "i32": 4, "i64": 5, "bf16": 7, "f16": 8}
DTYPE = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64,
         "bf16": ml_dtypes.bfloat16, "f16": np.float16}  # fmt: skip
NAMES = {np.dtype(dtype): name for name, dtype in DTYPE.items()}
COUNT = 7  # odd, so that a vector loop has a rest


def pointer(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def pointers(arrays: Sequence[NDArray[Any] | None]) -> Any:
    return (ctypes.c_void_p * len(arrays))(*[None if a is None else a.ctypes.data for a in arrays])


def at(address: int | None, like: NDArray[Any]) -> NDArray[Any] | None:
    if address is None:
        return None
    return np.frombuffer((ctypes.c_char * like.nbytes).from_address(address), like.dtype).copy()


def u64(value: int) -> ctypes.c_uint64:
    return ctypes.c_uint64(value)


def tree(library: ctypes.CDLL, values: Sequence[NDArray[Any] | None], fanout: int) -> NDArray[Any] | None:
    copies = [None if value is None else value.copy() for value in values]
    like = next((value for value in values if value is not None), np.zeros(1, np.float32))
    found = library.shim_tree(ELEMENT[NAMES[like.dtype]], pointers(copies), u64(len(values)), u64(fanout),
                              u64(like.size))  # fmt: skip
    return at(found, like)


def canonical(library: ctypes.CDLL, blocks: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    copies = [block.copy() for block in blocks]
    nodes = (ctypes.c_uint64 * (3 * (len(blocks) + 1)))()
    found = library.shim_canonical(ELEMENT[NAMES[blocks[0].dtype]], pointers(copies), u64(len(blocks)),
                                   u64(blocks[0].size), nodes)  # fmt: skip
    return at(found, blocks[0])


def same(left: NDArray[Any] | None, right: NDArray[Any] | None) -> bool:
    if left is None or right is None:
        return left is right
    return left.tobytes() == right.tobytes()


def values(seed: int, members: int, dtype: Any = np.float32) -> list[NDArray[Any]]:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "i":
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        return [rng.integers(low, high, COUNT, dtype) for _ in range(members)]
    # Magnitudes far apart, so that every order has bits of its own.
    return [
        (rng.normal(size=COUNT) * 10.0 ** rng.integers(-6, 7, COUNT)).astype(dtype) for _ in range(members)
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_addition_keeps_subnormals_and_wraps(library: ctypes.CDLL, dtype: Any) -> None:
    left, right = values(1, 2, dtype)
    if np.dtype(dtype).kind == "f":
        tiny = np.finfo(dtype).smallest_subnormal
        left[:5], right[:5] = [tiny, np.inf, -0.0, np.inf, 1], [tiny, -np.inf, -0.0, 1, -np.inf]
    total = left.copy()
    library.shim_add(ELEMENT[NAMES[left.dtype]], pointer(total), pointer(right), u64(COUNT))
    assert same(total, model.add(left, right))
    if np.dtype(dtype).kind == "f":
        assert total[0] == 2 * tiny
        assert np.isnan(total[1])
        assert np.signbit(total[2])
        assert (total[3], total[4]) == (np.inf, -np.inf)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nan_is_canonical_whoever_holds_it(library: ctypes.CDLL, dtype: Any) -> None:
    """N8: [1, NaN, 3, 4] with the NaN on each of four roles, whatever its sign and payload."""
    bits = np.dtype(f"u{np.dtype(dtype).itemsize}")
    wanted = {4: 0x7FC00000, 8: 0x7FF8000000000000}[bits.itemsize]
    infinity = np.array([np.inf], dtype).view(bits)[0]
    # Sign set and payload all ones; the least payload that is one.
    for strange, holder in itertools.product([~bits.type(0), infinity + bits.type(1)], range(4)):
        parts = [np.array([m + 1], dtype) for m in range(4)]
        parts[holder] = np.array([strange], bits).view(dtype)
        for found in (tree(library, parts, 2), tree(library, parts, 3), canonical(library, parts)):
            assert found is not None
            assert found.view(bits)[0] == wanted


def test_order_is_the_declared_one(library: ctypes.CDLL) -> None:
    """N1: left to right 0, pairwise 1 of [2^24, 1, 1, -2^24]; the leaf alone or packed is the same."""
    parts = [np.array([v], np.float32) for v in (2.0**24, 1, 1, -(2.0**24))]
    packed = [np.array([7, v[0], 9], np.float32) for v in parts]
    star, pairs = tree(library, parts, 3), canonical(library, parts)
    assert star is not None
    assert pairs is not None
    assert star[0] == 0
    assert pairs[0] == 1
    packed_star, packed_pairs = tree(library, packed, 3), canonical(library, packed)
    assert packed_star is not None
    assert packed_pairs is not None
    assert packed_star[1] == 0
    assert packed_pairs[1] == 1


def test_bf16_accumulates_in_f32(library: ctypes.CDLL) -> None:
    """N10: bf16 [256, 1, 1, 1] is 260, not bf16's own 256."""
    total = np.zeros(1, np.float32)
    for value in (256, 1, 1, 1, 1):
        addend = np.array([value], ml_dtypes.bfloat16)
        library.shim_add_widened(ELEMENT["bf16"], pointer(total), pointer(addend), u64(1))
    assert total[0] == 260


@pytest.mark.parametrize("members", [1, 2, 3, 5, 6, 7])
def test_odd_counts(library: ctypes.CDLL, members: int) -> None:
    """S3: role r gives r + 1; three samples on seven members leave four without a contribution."""
    parts = [np.array([r + 1], np.int32) for r in range(members)]
    for fanout in (1, 2, 8):
        found = tree(library, parts, fanout)
        assert found is not None
        assert found[0] == members * (members + 1) // 2
    some: list[NDArray[Any] | None] = [*parts, *([None] * 4)]
    found = tree(library, some, 2)
    assert found is not None
    assert found[0] == members * (members + 1) // 2
    assert tree(library, [None] * members, 2) is None


def test_all_of_48(library: ctypes.CDLL) -> None:
    """S3: 1 + ... + 48 is 1176: no lane is dropped at an odd width."""
    parts = [np.arange(r + 1, r + 1 + COUNT).astype(np.float32) for r in range(48)]
    found = canonical(library, parts)
    assert found is not None
    assert found[0] == 1176
    empty = [np.zeros(0, np.float32)] * 3
    library.shim_add(ELEMENT["f32"], pointer(empty[0]), pointer(empty[1]), u64(0))


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize("members", [1, 2, 3, 5, 8, 10, 64])
def test_tree_order(library: ctypes.CDLL, members: int, dtype: Any) -> None:
    for fanout in (1, 2, 3, 8, 63):
        parts = values(members, members, dtype)
        assert same(tree(library, parts, fanout), model.tree(parts, fanout))
        rng = np.random.default_rng(fanout)
        gaps = [None if rng.random() < 0.4 else part for part in parts]
        assert same(tree(library, gaps, fanout), model.tree(gaps, fanout))


def test_other_orders_have_other_bits(library: ctypes.CDLL) -> None:
    """The check above is able to fail: the orders of this data differ."""
    parts = values(8, 8)
    found = {array.tobytes() for f in (1, 2, 3, 7) if (array := tree(library, parts, f)) is not None}
    assert len(found) > 2


@pytest.mark.parametrize("blocks", [1, 2, 3, 5, 6, 7, 10, 11, 16, 21, 33, 64])
def test_canonical_order(library: ctypes.CDLL, blocks: int) -> None:
    parts = values(blocks, blocks)
    assert same(canonical(library, parts), model.canonical(parts))


def test_maximal_nodes_and_bounds(library: ctypes.CDLL) -> None:
    for blocks in range(34):
        for begin in range(blocks + 1):
            for end in range(begin, blocks + 1):
                nodes = (ctypes.c_uint64 * (3 * (blocks + 1)))()
                count = library.shim_nodes(u64(begin), u64(end), u64(blocks), nodes)
                found = [(nodes[3 * i], nodes[3 * i + 1]) for i in range(count)]
                assert found == model.maximal_nodes(begin, end, blocks), (begin, end, blocks)
                if blocks:
                    top = (blocks - 1).bit_length()
                    pending = library.shim_pending_max(u64(begin), u64(end), u64(blocks))
                    assert pending <= (top + 1 if begin == 0 else 2 * top + 1)


def node_list(
    library: ctypes.CDLL,
    span: tuple[int, int],
    blocks: int,
    children: Sequence[tuple[Any, int]],
    own: Sequence[NDArray[Any]],
    own_begin: int,
) -> tuple[Any, int]:
    """What a participant sends: its blocks and its children's lists merged, as an array of CanonicalNode."""
    entries: list[int] = []
    for i, value in enumerate(own):
        entries += [0, own_begin + i, value.ctypes.data]
    for nodes, count in children:
        entries += list(nodes[: 3 * count])
    given = (ctypes.c_uint64 * max(1, len(entries)))(*entries)
    out = (ctypes.c_uint64 * (3 * (len(entries) // 3 + 1)))()
    count = library.shim_merge(ELEMENT["f32"], u64(blocks), u64(COUNT), given, u64(len(entries) // 3), out)
    expected = model.maximal_nodes(*span, blocks)
    assert [(out[3 * i], out[3 * i + 1]) for i in range(count)] == expected
    return out, count


def merged(library: ctypes.CDLL, parts: Sequence[NDArray[Any]], ranges: Sequence[tuple[int, int]],
           fanout: int, first: int = 0, size: int | None = None) -> tuple[Any, int]:  # fmt: skip
    """The canonical combine of a subtree, participant by participant in preorder."""
    size = len(ranges) if size is None else size
    children, at_member = [], first + 1
    for part in model.chunks(size - 1, fanout):
        children.append(merged(library, parts, ranges, fanout, at_member, part))
        at_member += part
    begin, end = ranges[first][0], ranges[first + size - 1][1]
    own = parts[ranges[first][0] : ranges[first][1]]
    return node_list(library, (begin, end), len(parts), children, own, ranges[first][0])


@pytest.mark.parametrize("members", [1, 2, 3, 5, 8, 10, 64])
def test_canonical_is_the_same_for_every_membership(library: ctypes.CDLL, members: int) -> None:
    """Star, trees, pair; even, uneven and empty shares: always the bits of one participant alone."""
    for blocks in (1, 2, 3, 7, 10, 16, 21):
        whole = model.canonical(values(blocks, blocks))
        rng = np.random.default_rng(members)
        cuts = np.sort(rng.integers(0, blocks + 1, members - 1)).tolist()
        uneven = list(zip([0, *cuts], [*cuts, blocks], strict=True))
        even = [model.blocks_of(m, members, blocks) for m in range(members)]
        for ranges in (even, uneven):
            for fanout in {1, 2, 3, max(1, members - 1)}:
                parts = [value.copy() for value in values(blocks, blocks)]
                nodes, count = merged(library, parts, ranges, fanout)
                assert count == 1
                assert same(at(nodes[2], parts[0]), whole), (members, blocks, fanout)


@pytest.mark.parametrize("name", ["bf16", "f16"])
def test_narrow_types_round_as_ml_dtypes_and_numpy_do(library: ctypes.CDLL, name: str) -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(DTYPE[name])
    wide = np.empty(every.size, np.float32)
    library.shim_widen(ELEMENT[name], pointer(wide), pointer(every), u64(every.size))
    with np.errstate(all="ignore"):
        finite = ~np.isnan(every.astype(np.float32))
        assert same(wide[finite], every.astype(np.float32)[finite])
    assert set(wide[~finite].view(np.uint32)) == {0x7FC00000}

    rng = np.random.default_rng(0)
    # Around every narrow value and every tie between two, and anything at all.
    ties = (every[finite].view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    near = np.concatenate([ties.view(np.uint32) + d for d in (0, 0x7FFF, 0x8000, 0x8001)])
    half = np.concatenate([wide[finite].view(np.uint32) + d for d in (0, 0xFFF, 0x1000, 0x1001)])
    tiny = (np.arange(1 << 14) * np.float32(2.0**-26)).astype(np.float32)
    bits = np.concatenate([near, half, rng.integers(0, 1 << 32, 1 << 18), tiny.view(np.uint32)])
    source = bits.astype(np.uint32).view(np.float32)
    out = np.empty(source.size, np.uint16)
    library.shim_narrow(ELEMENT[name], pointer(out), pointer(source), u64(source.size))
    with np.errstate(all="ignore"):
        expected = source.astype(DTYPE[name]).view(np.uint16)
    numbers = ~np.isnan(source)
    assert np.array_equal(out[numbers], expected[numbers])
    assert set(out[~numbers]) == {{"bf16": 0x7FC0, "f16": 0x7E00}[name]}
    through = source.copy()
    library.shim_round_through(ELEMENT[name], pointer(through), u64(through.size))
    with np.errstate(all="ignore"):
        assert same(through[numbers], source.astype(DTYPE[name]).astype(np.float32)[numbers])


def test_division_is_one_rounding(library: ctypes.CDLL) -> None:
    parts = values(3, 1)[0]
    found = parts.copy()
    library.shim_divide(ELEMENT["f32"], pointer(found), u64(COUNT), ctypes.c_double(3))
    assert same(found, parts / np.float32(3))
    zeros = np.zeros(1, np.float32)
    library.shim_divide(ELEMENT["f32"], pointer(zeros), u64(1), ctypes.c_double(0))
    assert zeros.view(np.uint32)[0] == 0x7FC00000


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_first_nonfinite(library: ctypes.CDLL, dtype: Any) -> None:
    array = np.full(5000, np.finfo(dtype).max, dtype)
    element = ELEMENT[NAMES[array.dtype]]
    assert library.shim_first_nonfinite(element, pointer(array), u64(5000)) == 5000
    for index in (4999, 2048, 1023, 0):
        array[index] = np.inf if index % 2 else np.nan
        assert library.shim_first_nonfinite(element, pointer(array), u64(5000)) == index
