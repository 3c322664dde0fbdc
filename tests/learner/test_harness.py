"""A sample of JAX's own primitive harnesses: each agrees with JAX or is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from learner.harness import Tally, harnesses, run

EVERY = 97


@pytest.mark.native
def test_a_sample_of_jaxs_harnesses(tmp_path: Path) -> None:
    chosen = harnesses()[::EVERY]
    tally = Tally()
    run(chosen, tmp_path, tally)
    assert not tally.wrong
    assert tally.count("agrees") > 0.75 * len(chosen)
    assert tally.count("agrees") + tally.count("refused") == len(chosen)


@pytest.mark.native
def test_what_is_wrong_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bench itself: another result than ours is noticed."""
    chosen = next(each for each in harnesses() if each.group_name == "add")
    monkeypatch.setattr("learner.harness._expected", lambda case: [2 * case.harness.dyn_fun(*case.arguments)])
    tally = Tally()
    run([chosen], tmp_path, tally)
    assert len(tally.wrong) == 1
