"""Refused learners, each beside its messages: refused/NAME.py and refused/NAME.txt.

`python tests/learner/test_refused.py` writes the messages anew; read the difference before you keep it.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from alpha_build.build.checked import checked_system
from alpha_build.learner import trace_learner as learner_module
from alpha_build.system.errors import AlphaError
from alpha_build.system.load import load_system

FOLDER = Path(__file__).parent / "refused"
NAMES = sorted(path.stem for path in FOLDER.glob("*.py"))


def messages(name: str) -> str:
    """Class, kind and sentence of every failure, one a line, without the list of what is supported."""
    try:
        checked_system(load_system(str(FOLDER / f"{name}.py")))
    except AlphaError as failure:
        lines = [f"{type(each).__name__} [{each.kind}] {each}\n" for each in failure.failures]
        return re.sub("supported: .*", "supported: (the primitives of docs/lowering.md)", "".join(lines))
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_a_refused_learner_says_what_is_wrong(name: str) -> None:
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert expected
    assert messages(name) == expected


def test_no_message_is_without_its_learner() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == NAMES


def test_every_message_has_a_place_and_a_remedy() -> None:
    for path in FOLDER.glob("*.txt"):
        for line in path.read_text(encoding="utf-8").splitlines():
            assert re.match(rf"\w+ \[[a-z-]+\] {path.stem}\.py:\d+", line), line
            assert "; " in line


def test_every_kind_of_tracing_has_an_example() -> None:
    shown = " ".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.txt"))
    elsewhere = {"no-jax", "partition"}
    kinds = set()
    for path in Path(learner_module.__file__).parent.glob("trace*.py"):
        kinds |= set(re.findall(r'kind="([a-z-]+)"', path.read_text(encoding="utf-8")))
    assert len(kinds) > 20
    assert not {kind for kind in kinds - elsewhere if f"[{kind}]" not in shown}


if __name__ == "__main__":
    for each in NAMES:
        (FOLDER / f"{each}.txt").write_text(messages(each), encoding="utf-8")
