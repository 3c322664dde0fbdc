"""The same schedules under AddressSanitizer and UndefinedBehaviorSanitizer."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from simulate.simulator import Build, run

pytestmark = [pytest.mark.native, pytest.mark.slow]
needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")


@needs_compiler
def test_two_thousand_schedules_under_sanitizers(tmp_path: Path) -> None:
    flags = ("-O1", "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    done = run(Build(tmp_path, flags).link(tmp_path / "driver"), 0, 400)
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.count(": 400 schedules, ") == 9
