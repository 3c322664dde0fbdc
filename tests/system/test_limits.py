"""docs/limits.md says every bound of both sides as the code has it, and the code has bounds nowhere else."""

from __future__ import annotations

import re
from pathlib import Path

from alpha_build.system import limits

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "cpp" / "base" / "limits.h"
ROW = re.compile(r"\| ([^|]+) \| (?:`(\w+)`)? ?\| (?:`(\w+)`)? ?\| ([\d.]+) \| ([^|]*)\|")
# What is a bound by its name: `kEdgesMax`, `EDGE_COUNT_MAX`.
BOUND_IN_CPP = re.compile(r"constexpr \w+ (k\w*Max\w*) ?=")


def rows() -> list[tuple[str | None, str | None, str]]:
    """Python's name, C++'s name, value."""
    text = (ROOT / "docs" / "limits.md").read_text()
    found = [ROW.fullmatch(line) for line in text.splitlines() if line.startswith("| ")]
    told = [match for match in found if match]
    assert len(told) == len(found) - text.count("| limit |"), "a row that this test cannot read"
    return [(match[2], match[3], match[4]) for match in told]


def cpp_limits() -> dict[str, int]:
    constants = re.findall(r"inline constexpr \w+ (k\w+) = ([\d' *]+);", HEADER.read_text())
    assert len(constants) == HEADER.read_text().count("constexpr")
    values = {}
    for name, written in constants:
        product = 1
        for factor in written.replace("'", "").split("*"):
            product *= int(factor)
        values[name] = product
    return values


def python_limits() -> dict[str, float]:
    return {name: value for name, value in vars(limits).items() if name.isupper()}


def test_the_page_has_each_limit_once_with_its_value() -> None:
    python = [(name, float(value)) for name, _, value in rows() if name]
    cpp = [(name, float(value)) for _, name, value in rows() if name]
    assert sorted(python) == sorted((name, float(value)) for name, value in python_limits().items())
    assert sorted(cpp) == sorted((name, float(value)) for name, value in cpp_limits().items())


def test_what_both_sides_have_is_the_same() -> None:
    both = [(python, cpp) for python, cpp, _ in rows() if python and cpp]
    same = {"EDGE_COUNT_MAX", "LEAF_BYTES", "RING_BYTES", "STAGED_FRAMES_MAX"}
    assert {python for python, _ in both} == same
    for python, cpp in both:
        assert python_limits()[python] == cpp_limits()[cpp]


def test_the_runtime_has_bounds_nowhere_else() -> None:
    folders = ("base", "frame", "socket", "role", "state")
    files = [path for folder in folders for path in (ROOT / "cpp" / folder).iterdir() if path != HEADER]
    found = {f"{path.name}: {name}" for path in files for name in BOUND_IN_CPP.findall(path.read_text())}
    assert not found, "these belong into cpp/base/limits.h"
