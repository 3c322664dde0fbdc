"""Lines of a role: cut whole from any pieces, and read for what they mean."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from alpha_build.run.lines import (
    LINE_BYTES_MAX,
    Complete,
    Failed,
    LineCutter,
    Loss,
    Metric,
    read_line,
    with_role,
)


@given(
    st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8"))), st.lists(st.integers(1, 40))
)
def test_lines_survive_any_cut(lines: list[str], cuts: list[int]) -> None:
    data = "".join(line + "\n" for line in lines).encode()
    cutter, found, at = LineCutter(), [], 0
    for size in [*cuts, len(data)]:
        found += cutter.feed(data[at : at + size])
        at += size
    assert found == lines
    assert cutter.rest() == []


def test_an_unended_line_is_cut_and_kept() -> None:
    cutter = LineCutter()
    assert cutter.feed(b"x" * (LINE_BYTES_MAX + 5)) == ["x" * LINE_BYTES_MAX]
    assert cutter.rest() == ["x" * 5]


HASH = "0123456789abcdef" * 4
READ = {
    "round 12: loss 0.693147182": Loss(12, 0.693147182),
    'round 20: metric "accuracy" 0.9345': Metric(20, "accuracy", 0.9345),
    'round 20: metric "a \\"b\\" \\u00e4" -1e-7': Metric(20, 'a "b" ä', -1e-7),
    f"complete: 200 rounds, state {HASH}": Complete(200, HASH),
    "complete": Complete(None, None),
    "refused (version): edge 0->2 region 5: expected version 4, got version 3": ("version", 0, 2),
    "budget exhausted (connect): edge 0->1: 127.0.0.1:4000 for 30 s: connection refused": ("connect", 0, 1),
    "budget exhausted (wait): edge 12->345 region 1": ("wait", 12, 345),
    "admission refused: 127.0.0.1:80: permission denied": ("admission", None, None),
    "local operation failed: region g: element 5 is nan": ("local", None, None),
    "checkpoint failed: state/role-0: no space left": ("checkpoint", None, None),
    "usage: unknown argument --x": ("usage", None, None),
    "stranger on edge 0->1: 127.0.0.1:5555 closed after 7 bytes": None,
    "round one: loss 1": None,
    "completely different": None,
}  # fmt: skip


@pytest.mark.parametrize("text", READ)
def test_what_a_line_means(text: str) -> None:
    expected = READ[text]
    line = f"alpha-build: role 7: {text}"
    found = read_line(line)
    if isinstance(expected, tuple):
        assert found == Failed(expected[0], text, expected[1], expected[2])
    else:
        assert found == expected
    assert read_line(text) is None


def test_numbers_that_are_none() -> None:
    found = read_line("alpha-build: role 0: round 0: loss nan")
    assert isinstance(found, Loss) and math.isnan(found.loss)


def test_each_line_carries_its_role_once() -> None:
    assert (
        with_role(3, "qemu: uncaught target signal 11")
        == "alpha-build: role 3: qemu: uncaught target signal 11"
    )
    assert with_role(3, "alpha-build: role 3: complete") == "alpha-build: role 3: complete"
    assert with_role(1, "alpha-build: role 11: x") == "alpha-build: role 1: alpha-build: role 11: x"
