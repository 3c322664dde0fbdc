"""benchmarks/report.py: one table and one picture of the lines that benchmarks printed."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
TURN = {"benchmark": "allreduce", "system": "alpha-build pair", "n": 2, "bytes": 4, "median_us": 99.0}
LINES: list[dict[str, Any]] = [
    {"benchmark": "allreduce", "system": "rates of this machine", "hash_GBps": 3.7},
    TURN,
    {**TURN, "system": "gloo", "median_us": 20.0},
    {**TURN, "median_us": 10.0, "cpu_us": 8.5, "ratio": 0.5, "floor_us": 8.0, "floor_ratio": 1.25},
    {"benchmark": "hash", "system": "payload digest", "bytes": 1 << 20, "GBps": 3.7, "peer": "OpenSSL",
     "peer_GBps": 1.85, "ratio": 2.0},
]  # fmt: skip


def report(folder: Path, lines: list[dict[str, Any]]) -> subprocess.CompletedProcess[str]:
    (folder / "given.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    argv = [BENCHMARKS / "report.py", "--lines", folder / "given.jsonl", "--out", folder]
    return subprocess.run([sys.executable, *argv], capture_output=True, text=True, check=True)


def test_each_system_has_one_row_with_its_ratios(tmp_path: Path) -> None:
    rows = [line.split() for line in report(tmp_path, LINES).stdout.splitlines()[1:-2]]
    assert rows == [
        ["allreduce", "2", "4", "alpha-build", "pair", "10.0", "us", "8.5", "us", "0.50", "1.25"],
        ["2", "4", "gloo", "20.0", "us"],
        ["hash", "1048576", "payload", "digest", "3.70", "GB/s", "2.00"],
    ]


def test_the_picture_is_a_function_of_the_lines(tmp_path: Path) -> None:
    if importlib.util.find_spec("matplotlib") is None:
        assert "figures.svg: skipped" in report(tmp_path, LINES).stderr
        pytest.skip("Matplotlib is not installed (pip install '.[bench]'): no picture")
    report(tmp_path, LINES)
    first = (tmp_path / "figures.svg").read_bytes()
    assert all(name in first for name in (b"all-reduce, n = 2", b">floor<", b">OpenSSL<"))
    report(tmp_path, LINES)
    assert (tmp_path / "figures.svg").read_bytes() == first
