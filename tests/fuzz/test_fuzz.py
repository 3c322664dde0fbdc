"""A short run of each fuzz target from the kept corpus, and that the targets can find something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fuzz import fuzz as targets

pytestmark = [pytest.mark.native, pytest.mark.slow]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    clang = targets.compiler()
    if clang is None:
        pytest.skip("no clang with libFuzzer (apt-get install clang-14)")
    return targets.build(tmp_path_factory.mktemp("fuzz"), clang)


@pytest.mark.parametrize("target", targets.TARGETS)
def test_two_seconds_find_nothing(target: str, built: dict[str, Path], tmp_path: Path) -> None:
    kept = targets.unpack(target, tmp_path / "kept")
    (tmp_path / "fresh").mkdir()
    done = targets.fuzz(built[target], [tmp_path / "fresh", kept], "-max_total_time=2", "-seed=1")
    assert done.returncode == 0, done.stderr[-3000:]
    runs = re.search(r"Done (\d+) runs", done.stderr)
    assert runs and int(runs[1]) > 500
    print(f"\n{target}: {runs[0]}, {len(list(kept.iterdir()))} inputs kept")


def test_the_kept_inputs_hold_a_right_frame_of_each_kind() -> None:
    """A digest that is right is nothing that a fuzzer finds by itself."""
    kept = (targets.HERE / "corpus" / "frame.txt").read_text().split()
    whole = [line for line in kept if len(line) == 2 * (1 + 128 + 24 + 32)]
    assert {int(line[:2], 16) % 2 for line in whole} == {0, 1}
