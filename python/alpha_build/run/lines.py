"""What a role says on descriptor 2: bytes cut into whole lines, and each line read for what it means."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from alpha_build.system.limits import LINE_BYTES_MAX


@dataclass(frozen=True)
class Loss:
    round: int
    loss: float


@dataclass(frozen=True)
class Metric:
    round: int
    name: str
    value: float


@dataclass(frozen=True)
class Complete:
    rounds: int | None
    state: str | None  # the state hash, hexadecimal


@dataclass(frozen=True)
class Failed:
    """A participant's one line at its end; `sender` and `receiver` when it names an edge."""

    kind: str  # "version", "connect", "admission", ...
    text: str  # all of the line after the role
    sender: int | None = None
    receiver: int | None = None


@dataclass(frozen=True)
class Flight:
    """One transfer of a participant's flight record; `state` is None for one that was completed.

    `seconds` is the monotonic clock's, `region` None for an edge's opening or closing frame.
    """

    role: int
    seconds: float
    text: str  # place and transfer, without the time
    place: str  # "star.py:22 combine"
    sender: int
    receiver: int
    region: int | None
    version: int | None
    state: str | None  # "awaited", "sending"
    bytes: int
    total: int

    @property
    def peer(self) -> int:
        return self.receiver if self.sender == self.role else self.sender

    def as_json(self) -> dict[str, object]:
        shown = {name: value for name, value in vars(self).items() if name != "text"}
        return {**shown, "seconds": round(self.seconds, 9)}


_ROLE = re.compile(r"alpha-build: role (\d+): ")
_LOSS = re.compile(r"round (\d+): loss (\S+)")
_METRIC = re.compile(r'round (\d+): metric ("(?:[^"\\]|\\.)*") (\S+)')
_COMPLETE = re.compile(r"complete(?:: (\d+) rounds?(?:, state ([0-9a-f]{64}))?)?")
_FAILED = re.compile(
    r"(?:refused \((\w+)\)|budget exhausted \((\w+)\)|(usage|admission|local|checkpoint)[ \w]*)(?:: |$)"
)
_EDGE = re.compile(r"edge (\d+)->(\d+)\b")
_FLIGHT = re.compile(
    r"flight: (\S+) s: ((.*): edge (\d+)->(\d+) (?:opening|closing|region (\d+) version (\d+)): "
    r"(?:(awaited|sending), )?(\d+)(?: of (\d+))? bytes)"
)


class LineCutter:
    """Bytes in any pieces to whole lines without their end; `rest` gives an unended last one."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> list[str]:
        self._rest += data
        *whole, last = self._rest.split(b"\n")
        while len(last) >= LINE_BYTES_MAX:
            whole.append(last[:LINE_BYTES_MAX])
            last = last[LINE_BYTES_MAX:]
        self._rest = bytearray(last)
        return [line.decode(errors="replace").rstrip("\r") for line in whole]

    def rest(self) -> list[str]:
        last, self._rest = bytes(self._rest), bytearray()
        return [last.decode(errors="replace")] if last else []


def with_role(role: int, line: str) -> str:
    """The line with the role's prefix, which executables write themselves and an emulator does not."""
    prefix = f"alpha-build: role {role}: "
    return line if line.startswith(prefix) else prefix + line


def read_line(line: str) -> Loss | Metric | Complete | Failed | Flight | None:
    """What a prefixed line means to the launcher; None for anything else, such as a stranger's visit."""
    start = _ROLE.match(line)
    if start is None:
        return None
    text = line[start.end() :]
    if found := _LOSS.fullmatch(text):
        return Loss(int(found[1]), _number(found[2]))
    if found := _METRIC.fullmatch(text):
        return Metric(int(found[1]), json.loads(found[2]), _number(found[3]))
    if found := _COMPLETE.fullmatch(text):
        return Complete(int(found[1]) if found[1] else None, found[2])
    if found := _FLIGHT.fullmatch(text):
        return _flight(int(start[1]), found)
    if found := _FAILED.match(text):
        edge = _EDGE.search(text)
        ends = (int(edge[1]), int(edge[2])) if edge else (None, None)
        return Failed(found[1] or found[2] or found[3], text, *ends)
    return None


def _flight(role: int, found: re.Match[str]) -> Flight:
    region, version = (int(found[6]), int(found[7])) if found[6] else (None, None)
    return Flight(
        role=role,
        seconds=float(found[1]),
        text=found[2],
        place=found[3],
        sender=int(found[4]),
        receiver=int(found[5]),
        region=region,
        version=version,
        state=found[8],
        bytes=int(found[9]),
        total=int(found[10] or found[9]),
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
