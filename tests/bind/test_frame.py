"""Frames in process against frame v1 as its page says it, built here from hashlib and struct alone."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import alpha_build as ab
from alpha_build import frame

RUN = bytes(range(32))
PAYLOAD = np.arange(6, dtype=np.float32)


def header(**changes: Any) -> frame.Header:
    fields = {"run": RUN, "sender": 0, "receiver": 1, "region": 5, "version": 4, "element": "f32"}
    return frame.Header(**{**fields, "extent": PAYLOAD.nbytes, **changes})


def by_the_page(payload: bytes, element: int = 2, offset: int = 0, total: int | None = None) -> bytes:
    """A sealed frame, written from docs/frame.md."""
    total = len(payload) if total is None else total
    head = (
        b"ALPHAFR1" + RUN + struct.pack(">7QI", 0, 1, 5, 4, offset, len(payload), total, element) + bytes(28)
    )
    leaves = [payload[at : at + 4096] for at in range(0, len(payload), 4096)]
    digest = hashlib.sha256(b"".join(hashlib.sha256(leaf).digest() for leaf in leaves)).digest()
    return head + payload + hashlib.sha256(head + digest).digest()


@pytest.mark.parametrize("size", [0, 1, 63, 64, 4095, 4096, 4097, 8192, 70000])
def test_sealed_bytes_are_those_of_the_page(size: int) -> None:
    payload = np.random.default_rng(size).integers(0, 256, size, dtype=np.uint8)
    sealed = frame.seal(header(extent=size, element="bytes"), payload)
    assert sealed == by_the_page(payload.tobytes(), element=1)
    assert frame.open(header(extent=size, element="bytes"), sealed) == payload.tobytes()


@pytest.mark.parametrize(
    ("element", "number"),
    [("bytes", 1), ("f32", 2), ("f64", 3), ("i32", 4), ("i64", 5), ("word", 6), ("bf16", 7), ("f16", 8)],
)
def test_element_numbers(element: str, number: int) -> None:
    made = header(element=element)
    assert bytes(made)[96:100] == struct.pack(">I", number)
    assert made.element == element


def test_payload_is_any_contiguous_buffer() -> None:
    sealed = frame.seal(header(), PAYLOAD)
    for same in (PAYLOAD.tobytes(), bytearray(PAYLOAD.tobytes()), memoryview(PAYLOAD), PAYLOAD.reshape(2, 3)):
        assert frame.seal(header(), same) == sealed
    with pytest.raises(ab.ContractFailure, match="not contiguous"):
        frame.seal(header(), np.zeros((6, 2), np.float32)[:, 0])


@given(payload=st.binary(max_size=9000), where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_any_flipped_bit_is_refused(payload: bytes, where: float, bit: int) -> None:
    sealed = bytearray(frame.seal(header(extent=len(payload), element="bytes"), payload))
    sealed[int(where * len(sealed))] ^= 1 << bit
    with pytest.raises(ab.Refused):
        frame.open(header(extent=len(payload), element="bytes"), sealed)


@pytest.mark.parametrize(
    ("at", "kind"),
    [
        (0, "frame"),  # magic
        (8, "frame"),  # run
        (39, "frame"),
        (47, "edge"),  # sender
        (55, "edge"),  # receiver
        (63, "edge"),  # region
        (71, "version"),
        (79, "version"),  # offset
        (87, "bytes"),  # extent
        (95, "edge"),  # total
        (99, "edge"),  # element
        (100, "frame"),  # reserved
        (127, "frame"),
        (128, "bytes"),  # payload
        (151, "bytes"),
        (152, "bytes"),  # trailer
        (183, "bytes"),
    ],
)
def test_refusal_names_the_field(at: int, kind: str) -> None:
    sealed = bytearray(frame.seal(header(), PAYLOAD))
    sealed[at] ^= 1
    with pytest.raises(ab.Refused, match=rf"^refused \({kind}\): edge 0->1 region 5: ") as refused:
        frame.open(header(), sealed)
    assert refused.value.kind == kind


def test_first_difference_in_layout_order_decides() -> None:
    sealed = bytearray(frame.seal(header(), PAYLOAD))
    sealed[99] ^= 1  # element: edge
    sealed[87] ^= 1  # extent, before it: bytes
    with pytest.raises(ab.Refused) as refused:
        frame.open(header(), sealed)
    assert refused.value.kind == "bytes"


@pytest.mark.parametrize("size", [0, 127, 128, 140, 183])
def test_short_frames_are_truncated(size: int) -> None:
    with pytest.raises(ab.Refused) as refused:
        frame.open(header(), frame.seal(header(), PAYLOAD)[:size])
    assert refused.value.kind == "truncated"


def test_long_frames_and_wrong_extents_are_bytes() -> None:
    for attempt in (
        lambda: frame.open(header(), frame.seal(header(), PAYLOAD) + b"\0"),
        lambda: frame.seal(header(extent=20), PAYLOAD),
    ):
        with pytest.raises(ab.Refused) as refused:
            attempt()
        assert refused.value.kind == "bytes"


@pytest.mark.parametrize("word", [2, 1 << 8, 1 << 63])
def test_a_word_is_zero_or_one(word: int) -> None:
    expected = header(element="word", extent=8)
    assert frame.open(expected, frame.seal(expected, struct.pack("<Q", 1))) == struct.pack("<Q", 1)
    sealed = by_the_page(struct.pack("<Q", word), element=6)
    with pytest.raises(ab.Refused) as refused:
        frame.open(expected, sealed)
    assert refused.value.kind == "bytes"


def test_digests() -> None:
    payload = bytes(10000)
    sealed = by_the_page(payload, element=1)
    digest = frame.payload_digest(payload)
    assert frame.payload_digest(b"") == hashlib.sha256(b"").digest()
    assert frame.trailer(header(extent=10000, element="bytes"), digest) == sealed[-32:]


def test_headers_compare_and_show_themselves() -> None:
    made = header(offset=8, total=64)
    assert frame.Header.from_bytes(bytes(made)) == made
    assert made != header()
    assert made != "something else"
    assert (made.run, made.offset, made.extent, made.total, made.version) == (RUN, 8, 24, 64, 4)
    assert repr(made).startswith("Header(edge 0->1, region 5, version 4, offset 8, extent 24, total 64")
    with pytest.raises(ValueError, match="run is 32 bytes, not 3"):
        header(run=b"abc")
    with pytest.raises(ValueError, match='"f8" is not one of'):
        header(element="f8")
