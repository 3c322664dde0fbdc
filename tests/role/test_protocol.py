"""A protocol of one's own by hand: that it runs, how it fails, what it answers and how large it is."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from alpha_build.build.stamp import BatchStamp
from alpha_build.run.lines import Flight, read_line
from role.launch import Ended, Member, Toolchain, run

pytestmark = pytest.mark.gates

SOURCE = Path(__file__).with_name("protocol_role.cpp")
PEERS = {0: (1,), 1: (0, 2), 2: (1,)}
SOUND = {
    "SELECTOR": "round < 3 ? 1 : 0",
    "CONTRIBUTION": "total[3]",
    "REFUSE": "true",
    "USES": "5",
    "FAULT": "true",
}


def member(toolchain: Toolchain, role: int, folder: Path, faults: dict[str, str] | None = None) -> Member:
    options = [f"-D{name}={value}" for name, value in {**SOUND, **(faults or {}), "ROLE": str(role)}.items()]
    linked = toolchain.compile(SOURCE, folder / f"linked-{role}", *options)
    return Member(linked, role, PEERS[role], BatchStamp(denominators=(3.0,)))


@pytest.fixture(scope="module")
def sound(native: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> list[Member]:
    folder = tmp_path_factory.mktemp("sound")
    return [member(native, role, folder) for role in range(3)]


def run_with(sound: list[Member], changed: Member, folder: Path) -> dict[int, Ended]:
    return run([changed if changed.role == each.role else each for each in sound], folder)


def test_completes(sound: list[Member], tmp_path: Path) -> None:
    ended = run(sound, tmp_path)
    assert {r: (e.code, e.lines) for r, e in ended.items()} == {
        role: (0, [f"alpha-build: role {role}: complete"]) for role in range(3)
    }
    assert sorted(p.name for p in tmp_path.iterdir()) == ["role-0", "role-1", "role-2"]  # no state folder


@pytest.mark.cross
def test_completes_on_the_other_processor(sound: list[Member], foreign: Toolchain, tmp_path: Path) -> None:
    changed = member(foreign, 1, tmp_path)
    changed.emulator = foreign.target.emulator
    assert [end.code for end in run_with(sound, changed, tmp_path).values()] == [0, 0, 0]


FAULTS = {
    "selector": (0, {"SELECTOR": "256 + (round & 0)"}, 79,
                 'local operation failed: own.py:5 choice: selector "go" is 256, neither 0 nor 1'),
    "contribution": (2, {"CONTRIBUTION": "__builtin_nanf(\"\")"}, 79,
                     'local operation failed: own.py:10 combine: region 4 "total": '
                     "element 3 of this role's contribution is not finite"),
    "silent operation": (1, {"FAULT": "participant.round() != 2"}, 79,
                         "local operation failed: own.py:9 everyone: the operation failed"),
    "operation": (1, {"FAULT": 'participant.fail_local("no more")'}, 79,
                  "local operation failed: own.py:9 everyone: no more"),
    "bound": (1, {"USES": "2"}, 72, "refused (version): region 0: version 3 is past the compiled bound 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_named_and_ends_everybody(
    sound: list[Member], native: Toolchain, name: str, tmp_path: Path
) -> None:
    role, faults, code, line = FAULTS[name]
    ended = run_with(sound, member(native, role, tmp_path, faults), tmp_path)
    assert ended[role].code == code
    assert ended[role].lines == [f"alpha-build: role {role}: {line}"]
    for other, end in ended.items():
        if other != role:
            assert end.code == 74, end
            assert f"alpha-build: role {other}: refused (truncated): edge " in end.lines[-1]


def test_flight_record(sound: list[Member], native: Toolchain, tmp_path: Path) -> None:
    """What each role did last, by the monotonic clock, then what it had in hand, then the reason."""
    members = [sound[0], member(native, 1, tmp_path, {"FAULT": "participant.round() != 2"}), sound[2]]
    silent = run(members, tmp_path / "silent")
    begin = time.monotonic()
    ended = run(members, tmp_path / "asked", arguments=["--flight"])
    for role, end in ended.items():
        assert len(silent[role].lines) == 1
        # Which of its edges tells a neighbour first is a matter of time.
        reason = end.lines[-1] if role == 1 else end.lines[-1].partition(": edge ")[0]
        assert silent[role].lines[-1].startswith(reason)
        steps = [read_line(line) for line in end.lines[:-1]]
        assert all(isinstance(step, Flight) and role in (step.sender, step.receiver) for step in steps)
        seconds = [step.seconds for step in steps if step.state is None]
        assert seconds == sorted(seconds) and begin < seconds[0] <= seconds[-1] < time.monotonic()
        assert [step.text.split(": ")[1] for step in steps[: len(PEERS[role])]] == [
            f"edge {peer}->{role} opening" for peer in PEERS[role]
        ]
        # Region 0 is the choice's word, once a round: the third was the last.
        assert max(step.version for step in steps if step.region == 0) == 3
        # Both directions of an edge, each as often as the rounds went.
        moved = [(step.sender, step.receiver) for step in steps if step.region == 0 and step.state is None]
        assert moved == {0: [(0, 1)] * 3, 1: [(0, 1), (1, 2)] * 3, 2: [(1, 2)] * 3}[role]
        waiting = [step for step in steps if step.state is not None]
        assert [step.peer for step in waiting] == ([] if role == 1 else [1])


def test_result_that_is_not_finite(sound: list[Member], native: Toolchain, tmp_path: Path) -> None:
    """Every contribution is finite, their sum is not: the root says so, before the delivery."""
    large = {"CONTRIBUTION": "3.0e38f"}
    ended = run([member(native, role, tmp_path, large) for role in range(3)], tmp_path)
    assert ended[0].code == 79
    assert ended[0].lines[-1].endswith('region 4 "total": element 3 of the result is not finite')


def test_contract_that_lets_values_through(native: Toolchain, tmp_path: Path) -> None:
    faults = {"REFUSE": "false", "CONTRIBUTION": '__builtin_nanf("0x1234")'}
    ended = run([member(native, role, tmp_path, faults) for role in range(3)], tmp_path)
    assert [end.code for end in ended.values()] == [0, 0, 0], ended


@pytest.mark.parametrize(
    ("arguments", "code", "out", "error"),
    [
        (["--version"], 0, "alpha-build 1.2.3\n", ""),
        (["--help"], 0, "--state DIR", ""),
        (["--flight", "--loud"], 64, "", 'usage: unknown argument "--loud"; --help lists the arguments\n'),
        (["--state"], 64, "", 'usage: no value after "--state"; --help lists the arguments\n'),
        (["--state", ""], 64, "", 'usage: no value after "--state"; --help lists the arguments\n'),
        (['x"y'], 64, "", 'usage: unknown argument "x\\"y"; --help lists the arguments\n'),
    ],
)
def test_arguments(
    sound: list[Member], arguments: list[str], code: int, out: str, error: str, tmp_path: Path
) -> None:
    words = sound[0].write(tmp_path, 1)
    done = subprocess.run([*words, *arguments], capture_output=True, text=True, timeout=10)
    assert done.returncode == code
    assert out in done.stdout
    assert bool(out) == bool(done.stdout)
    assert done.stderr == (f"alpha-build: role 0: {error}" if error else "")


def test_size(sound: list[Member], tmp_path: Path) -> None:
    """What is loaded, of every step there is, which no one system has; test_build measures real files."""
    for each in sound:
        with open(each.write(tmp_path, 1)[-1], "rb") as file:
            loads = [s["p_filesz"] for s in ELFFile(file).iter_segments() if s["p_type"] == "PT_LOAD"]
        assert sum(loads) < 64 * 1024
