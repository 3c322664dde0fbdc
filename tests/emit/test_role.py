"""The generated file as a whole: golden texts, well formed, accepted by the compiler, counted again by it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from emit.sources import GOLDEN, example, golden_texts, learner_role
from native import CPP

WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
CHECK = ["-std=c++20", "-fsyntax-only", "-ffreestanding", *WARNINGS]


@pytest.mark.parametrize("name", golden_texts())
def test_golden(name: str) -> None:
    """A change here changes what people read: `PYTHONPATH=tests python tests/emit/sources.py` accepts it."""
    assert golden_texts()[name] == (GOLDEN / name).read_text()


def test_same_class_same_text() -> None:
    """Roles that project to one program share every byte of their source; who they are is stamped."""
    assert example("star.py", 1) == example("star.py", 2) != example("star.py", 0)


@pytest.mark.parametrize("text", golden_texts().values(), ids=golden_texts().keys())
def test_lines_fit(text: str) -> None:
    lines = text.splitlines()
    assert text.endswith("\n")
    assert not any(line.endswith(" ") for line in lines)
    assert max(map(len, lines)) <= 100


@pytest.mark.skipif(shutil.which("clang-format") is None, reason="clang-format is not installed")
@pytest.mark.parametrize("name", ["relay_root.cpp", "star_leaf.cpp"])
def test_formatted(name: str) -> None:
    """clang-format would not touch a line."""
    style = f"--style=file:{CPP.parent / '.clang-format'}"
    path = GOLDEN / name
    found = subprocess.run(["clang-format", style, path], capture_output=True, text=True, check=True)
    assert found.stdout == path.read_text()


@pytest.mark.native
@pytest.mark.parametrize("name", golden_texts())
def test_compiles(name: str, tmp_path: Path) -> None:
    assert _compile(golden_texts()[name], tmp_path) == ""


@pytest.mark.native
def test_count_is_checked(tmp_path: Path) -> None:
    """The compiler counts steps again: a table that lost one does not compile."""
    text = re.sub(r"    receive\(.*\n", "", example("relay.py", 0))
    assert "static assertion failed" in _compile(text, tmp_path)


@pytest.mark.native
def test_user_line_is_named(tmp_path: Path) -> None:
    """An error in an operation's source is reported at the user's own line."""
    text = example("star.py", 1).replace("w[i] * static_cast", "nothing * static_cast")
    line = next(n for n, line in enumerate(_star().splitlines(), 1) if "g[i] = w[i]" in line)
    assert f"star.py:{line}:" in _compile(text, tmp_path)


def test_learner_in_place() -> None:
    text = learner_role()
    assert ".needs_v3 = true" in text
    assert ".metric = {.call = metric_program, .rows_max = 15, .scratch_bytes = 64}," in text
    assert "constexpr u64 kBlockConstants[] = {12, 4};" in text
    assert ".needs_v3 = false" in learner_role(0)  # AArch64


def _star() -> str:
    from emit.sources import EXAMPLES

    return (EXAMPLES / "star.py").read_text()


def _compile(text: str, folder: Path) -> str:
    (folder / "role.cpp").write_text(text)
    command = ["g++", *CHECK, f"-I{CPP}", str(folder / "role.cpp")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr
