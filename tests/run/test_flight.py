"""Flight records: asked for, merged by time, and read for who waited for whom."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from alpha_build.run import run_build
from alpha_build.run.flight import merged, waits
from alpha_build.run.lines import Flight, read_line
from alpha_build.run.report import print_outcome
from run.fake import make_build

LINES = {
    "flight: 12.25 s: a: b.py:22 combine: edge 1->0 region 7 version 3: 24 bytes": Flight(
        3, 12.25, "a: b.py:22 combine: edge 1->0 region 7 version 3: 24 bytes", "a: b.py:22 combine",
        1, 0, 7, 3, None, 24, 24,
    ),
    "flight: 12 s: s.py:1 x: edge 3->4 region 7 version 3: sending, 8 of 24 bytes": Flight(
        3, 12.0, "s.py:1 x: edge 3->4 region 7 version 3: sending, 8 of 24 bytes", "s.py:1 x",
        3, 4, 7, 3, "sending", 8, 24,
    ),
    "flight: 12 s: s.py:1 x: edge 2->3 closing: awaited, 0 of 0 bytes": Flight(
        3, 12.0, "s.py:1 x: edge 2->3 closing: awaited, 0 of 0 bytes", "s.py:1 x", 2, 3, None, None,
        "awaited", 0, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", LINES)
def test_a_line_is_read(text: str) -> None:
    assert read_line(f"alpha-build: role 3: {text}") == LINES[text]


def body(wait: str, *done: tuple[float, int]) -> str:
    """A role that fails after these transfers, seconds after the first role's start, with one in hand."""
    records = [f"edge 0->{{ROLE}} region 1 version {version}: 4 bytes" for _, version in done]
    lines = "".join(
        f"say(f'flight: {{time.monotonic() + {seconds}}} s: f.py:1 deliver: {record}')\n"
        for (seconds, _), record in zip(done, records, strict=True)
    )
    return f"assert sys.argv[1:] == ['--flight'], sys.argv\n{lines}{wait}"


FAILING = """\
say(f'flight: {time.monotonic() + 40} s: f.py:1 deliver: edge 0->2 region 1 version 3: awaited, 0 of 4 bytes')
say("budget exhausted (wait): edge 0->2 region 1"); sys.exit(77)
"""


def test_records_are_merged_and_waits_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bodies = [
        f"announce(1, 2); hear(0); {'os.kill(os.getpid(), signal.SIGSTOP)'}",
        body("hear(1); die(9)", (10, 1), (30, 2)),
        body("hear(1)\n" + FAILING, (20, 1), (25, 2)),
    ]
    begin = time.monotonic()
    folder = make_build(tmp_path, bodies, [(0, 1), (0, 2)])
    outcome = run_build(folder, json=True, flight=True)
    assert outcome.cause is not None and not outcome.ok
    order = [(step.role, step.version) for step in merged(outcome.ends)]
    assert order == [(1, 1), (2, 1), (2, 2), (1, 2), (2, 3)]
    assert [(wait.role, wait.peer) for wait in waits(outcome.ends)] == [(2, 0)]
    # Seconds of the record count from the start of the run.
    assert all(9 < step.seconds < 41 + time.monotonic() - begin for step in merged(outcome.ends))
    lines = (folder / "logs" / "flight.log").read_text().splitlines()
    assert len(lines) == 5 and "role 2: f.py:1 deliver: edge 0->2 region 1 version 3: awaited" in lines[-1]
    print_outcome(outcome, folder)
    said = capsys.readouterr().err
    assert "role 2 waited for role 0, " in said and str(folder / "logs" / "flight.log") in said
    json.dumps([step.as_json() for step in merged(outcome.ends)])


def test_nobody_is_asked_without_the_flag(tmp_path: Path) -> None:
    folder = make_build(tmp_path, ["assert sys.argv[1:] == [], sys.argv"])
    assert run_build(folder, json=True).ok
    assert not (folder / "logs" / "flight.log").exists()
