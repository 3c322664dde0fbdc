"""A state folder that cannot be used: the run ends with a name, and nothing is published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gates.conftest import alpha_build

pytestmark = pytest.mark.gates


def test_a_state_folder_that_cannot_be_written(fit_dist: Any, tmp_path: Path) -> None:
    (tmp_path / "state" / "role-1").mkdir(parents=True)
    (tmp_path / "state" / "role-1" / "generation-1").write_text("in the way")
    done = alpha_build("run", fit_dist.path, "--state", tmp_path / "state", "--json")
    result = json.loads(done.stdout)
    assert done.returncode == 1 and result["cause"]["role"] == 1 and result["roles"][1]["exit"] in (78, 80)
    assert not list((tmp_path / "state").glob("role-*/published"))
