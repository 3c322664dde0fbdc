"""cpp/base in a freestanding executable of each target: start code, memory, text, exact decimals."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path

import pytest

from native import AARCH64, TARGETS, Target, compile_executable

FLAG_OF = {
    "sha": ["sha_ni", "ssse3", "sse4_1"],
    "v3": ["avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"],
    "avx512": ["avx512f", "avx512bw", "avx512dq", "avx512vl"],
    "vbmi": ["avx512f", "avx512vbmi"],
}


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> Target:
    found: Target = request.param
    return found


@pytest.fixture(scope="module")
def driver(target: Target, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    out = tmp_path_factory.mktemp("base") / "driver"
    return compile_executable(target, Path(__file__).with_name("driver.cpp"), out, "base", "socket", "frame")


def run(
    driver: list[str], *words: str, given: bytes = b"", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*driver, *words], input=given, capture_output=True, timeout=120, env=env)


def awkward_bits() -> list[int]:
    """Both zeros, ends of each range, infinities, NaNs, exact ties at 9 and 17 digits, then random."""
    draw = random.Random(7)
    singles = [0, 1, 2**23 - 1, 2**23, 0x7F7F << 16, 0x7F80 << 16, 0x7FC0 << 16, 0x4B800001]
    doubles = [0, 1, 2**52 - 1, 2**52, 0x7FEF << 48, 0x7FF0 << 48, 0x7FF8 << 48 | 1]
    ties = "123456789.5 999999999.5 9007199254740993 4.5035996273704962e15"
    values = [float(word) for word in f"{ties} 1e22 1e23 0.1 0.0001 0.00009999999 1e16 1e17 5e-324".split()]
    doubles += [struct.unpack("<Q", struct.pack("<d", value))[0] for value in values]
    singles += [struct.unpack("<I", struct.pack("<f", value))[0] for value in values]
    bits = [half | (half << 63) & (1 << 63) for half in doubles]
    bits += [draw.getrandbits(32) << 32 | (single | sign) for single in singles for sign in (0, 1 << 31)]
    bits += [draw.getrandbits(64) for _ in range(3000)]
    # Near one and of few digits: what losses and metrics look like.
    bits += [struct.unpack("<Q", struct.pack("<d", draw.randrange(10**6) / 10**4))[0] for _ in range(500)]
    bits += [struct.unpack("<I", struct.pack("<f", draw.randrange(10**6) / 10**4))[0] for _ in range(500)]
    return bits


def test_decimals_are_exact(driver: list[str]) -> None:
    bits = awkward_bits()
    lines = run(driver, "decimal", given=struct.pack(f"<{len(bits)}Q", *bits)).stdout.decode().splitlines()
    assert len(lines) == len(bits)
    for pattern, line in zip(bits, lines, strict=True):
        double = struct.unpack("<d", struct.pack("<Q", pattern))[0]
        single = struct.unpack("<f", struct.pack("<I", pattern & 0xFFFFFFFF))[0]
        assert line == f"{double:.17g} {single:.9g}", hex(pattern)


def test_text(driver: list[str]) -> None:
    line, cut = run(driver, "text").stdout.decode().splitlines()
    assert line == (
        "edge 18446744073709551615->-9223372036854775808 -7 65535 009fff 127.0.0.1 10.1.2.255:4000 "
        '"a\\"b\\\\c\\u000a\\u007fé" 30 s 0.25 s 0.000000001 s'
    )
    assert cut == "0123456 7 ended"


def test_memory_functions(driver: list[str]) -> None:
    done = run(driver, "memory")
    assert (done.returncode, done.stdout) == (0, b"")


def test_start_passes_arguments_environment_and_exit_code(driver: list[str]) -> None:
    done = run(driver, "environment", env={"ALPHA": "1", "BETA": ""})
    assert done.returncode == 3
    assert {"ALPHA=1", "BETA="} <= set(done.stdout.decode().splitlines())
    assert run(driver).returncode == 64


def test_processor_is_what_the_system_says(target: Target, driver: list[str]) -> None:
    words = run(driver, "processor").stdout.decode().split()
    found = dict(zip(words[::2], map(int, words[1::2]), strict=True))
    if target is AARCH64:
        assert found == {"sha": 1, "v3": 0, "avx512": 0, "vbmi": 0}  # qemu's default has them
        return
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    flags = next(line for line in lines if line.startswith("flags")).split()
    for name, needed in FLAG_OF.items():
        assert found[name] == int(all(flag in flags for flag in needed)), name


def test_the_clock_is_read_from_the_kernels_own_pages(driver: list[str], target: Target) -> None:
    """Where it maps them: an emulator need not."""
    said = run(driver, "clock").stdout.decode().split()
    assert said[0::2] == ["mapped", "agree"] and said[3] == "1"
    if target.emulator is None:
        assert said[1] == str(int("[vdso]" in Path("/proc/self/maps").read_text()))
