"""Refused systems, each beside its messages: refused/NAME.py and refused/NAME.txt.

`python tests/check/test_refused.py` writes the messages anew; read the difference before you keep it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from alpha_build.projector import check as check_package
from alpha_build.projector.check import failures
from alpha_build.system import selection_check
from alpha_build.system.errors import AlphaError
from alpha_build.system.load import load_system

FOLDER = Path(__file__).parent / "refused"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def messages(name: str) -> str:
    """Class, kind and sentence of every failure, one a line."""
    try:
        found = failures(load_system(str(FOLDER / f"{name}.py")))
    except AlphaError as failure:
        found = failure.failures
    return "".join(f"{type(failure).__name__} [{failure.kind}] {failure}\n" for failure in found)


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_system_says_what_is_wrong(name: str) -> None:
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert expected
    assert messages(name) == expected


def test_no_message_is_without_its_system() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == NAMES


def test_every_message_has_a_place_and_a_remedy() -> None:
    for path in FOLDER.glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert re.match(r"\w+ \[[a-z-]+\] \w+\.py:\d+", line)
            assert "; " in line


def test_every_kind_of_the_checker_has_an_example() -> None:
    shown = " ".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))
    elsewhere = {
        *(
            "shares",
            "shares-length",
            "shares-sum",
            "share-cuts-block",
            "weights-sum",
        ),  # test_shares.py and tests/learner/refused: they need a traced learner
        *_kinds(Path(selection_check.__file__)),  # tests/system/test_membership.py
    }
    kinds = set()
    for path in Path(check_package.__file__).parent.glob("*.py"):
        kinds |= _kinds(path)
    assert len(kinds) > 50
    assert not {kind for kind in kinds - elsewhere if f"[{kind}]" not in shown}


def _kinds(path: Path) -> set[str]:
    """Kinds that a source file gives to failures."""
    pattern = r'(?:kind=|_failure\(\s*|scope\.member\([^,]+, )"([a-z-]+)"'
    return set(re.findall(pattern, path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    for each in NAMES:
        (FOLDER / f"{each}.txt").write_text(messages(each), encoding="utf-8")
