"""Equal bits of programs in a few builds that differ in everything, and what must show in them."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from learner.bits import Build, build, calls_of, edges, outputs, runs_here
from learner.programs import CPP, Work

pytestmark = pytest.mark.cross
SOFTMAX = "31bf0428ca9d27906d10948b9e7f41725dc7ebfd1b459b9fe11a54cd32147a3a"
SAMPLED = [("x86-64-v2", "-O0"), ("x86-64-v4", "-O2"), ("aarch64", "-O2"), ("cuda", "-O2")]
FIRST = next((build(level, "-O1") for level in ("x86-64-v3", "aarch64") if runs_here(level)), None)


@pytest.fixture(scope="module")
def work() -> dict[str, Work]:
    if FIRST is None:
        pytest.skip("no compiler")
    return {**edges(), **calls_of("logistic")}


@pytest.fixture(scope="module")
def right(work: dict[str, Work], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bytes]]:
    assert FIRST is not None
    return outputs(work, FIRST, tmp_path_factory.mktemp("bits"), "separate")


@pytest.mark.parametrize(("level", "optimisation"), SAMPLED)
def test_builds_agree(
    level: str, optimisation: str, work: dict[str, Work], right: dict[str, list[bytes]], tmp_path: Path
) -> None:
    if not runs_here(level):
        pytest.skip(f"no {level} here")
    assert outputs(work, build(level, optimisation), tmp_path, "separate") == right


def test_values_of_the_reports(right: dict[str, list[bytes]]) -> None:
    """a b + c of N5 is 0 uncontracted, and the softmax has one digest for ever."""
    assert right["contraction"] == [bytes(4)]
    halves, doubles, (total,), powers = (np.frombuffer(each, np.uint32) for each in right["tiny"])
    assert doubles.tolist() == [2 * i for i in range(1, 200)]
    assert halves.tolist() == [i // 2 + (i % 4 == 3) for i in range(1, 200)]
    assert total == 199 * 100
    assert powers[-1] == 0 and np.count_nonzero((powers > 0) & (powers < 0x800000)) > 100
    assert hashlib.sha256(right["softmax"][0]).hexdigest() == SOFTMAX


def _flags(*more: str) -> Callable[[Path], tuple[str, ...]]:
    return lambda folder: more


def _changed(name: str, old: str, new: str) -> Callable[[Path], tuple[str, ...]]:
    """A header that comes before the one of the checkout."""

    def write(folder: Path) -> tuple[str, ...]:
        text = (CPP / name).read_text()
        assert text.count(old) == 1, f"{name} has changed; so must this mutant"
        (folder / name).parent.mkdir()
        (folder / name).write_text(text.replace(old, new))
        return (f"-iquote{folder}",)

    return write


def _flushing(folder: Path) -> tuple[str, ...]:
    source = folder / "flush.cpp"
    source.write_text("""\
#include <immintrin.h>
[[gnu::constructor]] static void flush() { _mm_setcsr(_mm_getcsr() | 0x8040); }
""")
    return (str(source),)


MUTANTS = {
    "a compiler that may contract": _flags("-O2", "-ffp-contract=fast"),
    "two addends of a reduction change places": _changed(
        "learner/reduce.h",
        "for (u64 j = 0; j < half; ++j) lanes[j] = Of::meet(lanes[j], lanes[j + half]);",
        "for (u64 j = 0; j < half; ++j) lanes[j] = Of::meet(lanes[2 * j], lanes[2 * j + 1]);",
    ),
    "subnormal numbers are flushed": _flushing,
}


@pytest.mark.skipif(not runs_here("x86-64-v3"), reason="flags and a register of x86-64-v3")
@pytest.mark.parametrize("name", MUTANTS)
def test_a_changed_build_shows(name: str, right: dict[str, list[bytes]], tmp_path: Path) -> None:
    assert FIRST is not None
    changed = Build(FIRST.compiler, FIRST.emulator, (*FIRST.flags, *MUTANTS[name](tmp_path)))
    found = outputs(edges(), changed, tmp_path, "separate", multiplies=False)
    assert found != {key: right[key] for key in found}
