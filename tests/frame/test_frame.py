"""cpp/frame in a freestanding executable of each target, against hashlib and the foreign peer."""

from __future__ import annotations

import hashlib
import random
import struct
import subprocess
from dataclasses import astuple, replace
from pathlib import Path

import pytest

from alpha_build.gates.peer import F32, WORD, Head, payload_digest, seal
from native import AARCH64, TARGETS, Target, compile_executable

RUN = bytes(range(32))
HEAD = Head(RUN, 3, 1, 7, 4, 4096, 8, 8192, F32)


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> Target:
    found: Target = request.param
    return found


@pytest.fixture(scope="module")
def driver(target: Target, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("frame") / "driver"
    return compile_executable(target, Path(__file__).with_name("driver.cpp"), out, "base", "frame", "socket")


def run(driver: list[str], word: str, given: bytes) -> bytes:
    done = subprocess.run([*driver, word], input=given, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def record(head: Head) -> bytes:
    run_identity, *numbers = astuple(head)[:9]
    return bytes(run_identity) + struct.pack("<8Q", *numbers)


def test_every_form_gives_the_digests_of_hashlib(target: Target, driver: list[str]) -> None:
    draw = random.Random(11)
    lengths = [
        0,
        1,
        55,
        56,
        63,
        64,
        65,
        119,
        120,
        128,
        4095,
        4096,
        4097,
        16 * 4096,
        17 * 4096 + 5,
        49 * 4096,
        200_000,
    ]
    payloads = [draw.randbytes(length) for length in lengths + [draw.randrange(40_000) for _ in range(20)]]
    records = b"".join(struct.pack("<I", len(payload)) + payload for payload in payloads)
    lines = run(driver, "digests", records).decode().splitlines()
    instructions = "SHA-NI" if target.name == "x86_64" else "ARMv8 SHA2"
    forms, features = ["portable"], Path("/proc/cpuinfo").read_text()
    if target is AARCH64 or "sha_ni" in features:
        forms.append(instructions)
    if target is not AARCH64 and "sha_ni" in features and "avx512vbmi" in features:
        forms.append("AVX-512")
    assert lines.pop() == f"chosen {forms[-1]}"
    wanted = []
    for payload in payloads:
        plain, leaves = hashlib.sha256(payload).hexdigest(), payload_digest(payload).hex()
        wanted += [f"{plain} {plain} {leaves} {leaves} {form}" for form in forms]
    assert lines == wanted


@pytest.mark.parametrize("extent", [0, 1, 4096, 5000])
def test_frames_are_the_page_s(driver: list[str], extent: int) -> None:
    payload = random.Random(extent).randbytes(extent)
    head = replace(HEAD, extent=extent, region=2**64 - 2, version=2**63, total=2**40)
    assert run(driver, "seal", record(head) + payload) == seal(head, payload)


def test_the_hash_of_a_header_s_first_half_is_kept_for_the_next_frame(driver: list[str]) -> None:
    """Two compressions a trailer where run, ends and region are those of the frame before, else three."""
    head = replace(HEAD, version=1, offset=0, extent=0, total=0)
    more = replace(head, version=2)
    others = [replace(more, **change) for change in ({"region": 8}, {"receiver": 2}, {"sender": 4})]
    heads = [head, more, more, *others, replace(more, run=bytes(31) + b"\1"), head]
    lines = run(driver, "trailers", b"".join(map(record, heads))).decode().splitlines()
    counts = [3, 2, 2, 3, 3, 3, 3, 3]
    assert lines == [f"{seal(each, b'')[-32:].hex()} {n}" for each, n in zip(heads, counts, strict=True)]


def opened(driver: list[str], expected: Head, frame: bytes) -> list[str]:
    return run(driver, "open", record(expected) + frame).decode().rstrip("\n").split("|")


def test_an_expected_frame_opens(driver: list[str]) -> None:
    assert opened(driver, HEAD, seal(HEAD, b"12345678")) == ["none", "0", ""]


@pytest.mark.parametrize(
    ("lie", "field", "code", "text"),
    [
        ({"magic": b"ALPHAFR2"}, "magic", 70, "expected magic 414c504841465231, got 414c504841465232"),
        ({"run": bytes(31) + b"\1"}, "run", 70, f"expected run {RUN.hex()}, got {'00' * 31}01"),
        ({"sender": 2}, "sender", 71, "expected sender 3, got 2"),
        ({"receiver": 0}, "receiver", 71, "expected receiver 1, got 0"),
        ({"region": 8}, "region", 71, "expected region 7, got 8"),
        ({"version": 3}, "version", 72, "expected version 4 offset 4096, got version 3 offset 4096"),
        ({"offset": 0}, "offset", 72, "expected version 4 offset 4096, got version 4 offset 0"),
        ({"extent": 2**64 - 1}, "extent", 73, "expected extent 8, got 18446744073709551615"),
        ({"total": 8193}, "total", 71, "expected total 8192, got 8193"),
        ({"element": 3}, "element", 71, "expected element 2, got 3"),
        ({"zero": bytes(27) + b"\1"}, "reserved bytes", 70, None),
        # The first in layout order decides.
        ({"run": bytes(32), "sender": 9, "version": 9}, "run", 70, None),
        ({"version": 9, "element": 9, "total": 1}, "version", 72, None),
        ({"extent": 9, "total": 1}, "extent", 73, None),
    ],
)
def test_the_first_difference_decides(
    driver: list[str], lie: dict[str, int | bytes], field: str, code: int, text: str | None
) -> None:
    found = opened(driver, HEAD, seal(replace(HEAD, **lie), b"12345678"))  # type: ignore[arg-type]
    assert found[:2] == [field, str(code)]
    if text is not None:
        assert found[2] == text


def test_a_changed_byte_anywhere_is_refused(driver: list[str]) -> None:
    frame = seal(HEAD, b"12345678")
    for place in range(128, len(frame)):
        changed = frame[:place] + bytes([frame[place] ^ 0x10]) + frame[place + 1 :]
        assert opened(driver, HEAD, changed)[:2] == ["trailer", "73"], place


@pytest.mark.parametrize(
    ("offset", "payload", "field"),
    [
        (4096, bytes(8) + b"\1" + bytes(7), "none"),
        (4096, b"\2" + bytes(15), "word"),
        (4096, bytes(15) + b"\1", "word"),
        (4096, b"\1\1" + bytes(14), "word"),
        # Words are counted from the region's start, wherever a frame cuts them.
        (4095, b"\0\1" + bytes(7), "none"),
        (4095, b"\1" + bytes(8), "word"),
        (4097, bytes(7) + b"\1" + bytes(7), "none"),
        (4097, b"\1" + bytes(14), "word"),
    ],
)
def test_words_are_canonical(driver: list[str], offset: int, payload: bytes, field: str) -> None:
    head = replace(HEAD, element=WORD, offset=offset, extent=len(payload))
    assert opened(driver, head, seal(head, payload))[0] == field
