"""The code of the executables on a simulated kernel: thousands of fault schedules a second, each replayable.

    world = simulate.World(parents=(0, 1, 0), rounds=3)     # roles 1 and 3 below 0, role 2 below 1
    tally = simulate.run_many(world, 100_000)
    for finding in tally.findings:                          # none, or the code is at fault
        print("\\n".join(simulate.shrink(world, finding.choices).story))

Every role runs cpp/role and all beneath it, with system calls answered by cpp/simulate. Whatever is not
certain on a real machine is a decision: from a seeded generator, or from a list of choices, where 0 is always
the calm one. *Rough* departures are those that any participant must survive (interruptions, short reads and
writes, delays, strangers, late peers, failed connects); *harmful* ones are those that a run need not
survive (resets, altered, repeated and missing bytes, silence, kills and stops, peers that never appear,
descriptors and memory not to be had; of disks: errors, no room, and loss of power, which leaves of what was
not flushed some, in no order). Of every schedule it is required that

* without harm every role completes, and every value that it sees is right;
* with harm each role that lives completes with the right values, or with a named failure, in its budgets;
* nobody completes on altered bytes, no sum holds unverified bytes, nothing spins, no descriptor stays open;
* with state (`lives`), whatever is left on the disks after any life is one whole state, the root's, of which
  every role has all that the root's manifest names; nobody has published another; what a role completed with
  is not lost with power; and a calm start on it completes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from alpha_build._simulated import Simulator
from alpha_build.system.errors import SystemFailure

__all__ = ["End", "Finding", "Run", "Tally", "World", "replay", "run", "run_many", "search", "shrink"]

ROLE_COUNT_MAX = 16  # of a world: each is a stack, and a machine has 64 descriptors a process
LIVES_MAX = 100  # of a world: a bound on what one schedule takes
SHIFT_MAX = 24  # decisions that may follow from one departure
CONNECT_S, ACCEPT_S, WAIT_S, FRAME_S = 5.0, 5.0, 5.0, 3.0  # simulated seconds cost nothing


@dataclass(frozen=True)
class World:
    """A small system: each round a choice with a transfer in one arm, a combine of i32, and its delivery.

    Args:
        parents: the parent of role 1, role 2 and so on, each a lower role; role 0 is the root.
        rounds: at least 1.
        elements: of the combined region, 4 bytes each, at least 1.
        frame_bytes: bound of a frame's payload, a multiple of 8; above 1,024 frames take their long path.
        announced: ports are picked by the kernel, announced and told by a launcher; otherwise they are fixed.
        exchange: the two roles of a pair combine by exchange.
        canonical: the combine has order canonical, of one or two blocks a role; with lives, and with roles in
            preorder.
        lives: 0 for a protocol without state. Otherwise roles publish one at the end, and all are started so
            often, each time on what is left on the disks; the last of several starts is calm.
        connect, accept, wait, frame: budgets, simulated seconds.

    Raises:
        SystemFailure: kind "world", for anything else.
    """

    parents: tuple[int, ...] = (0, 1, 0)
    rounds: int = 3
    elements: int = 40
    frame_bytes: int = 64
    announced: bool = False
    exchange: bool = False
    canonical: bool = False
    lives: int = 0
    connect: float = CONNECT_S
    accept: float = ACCEPT_S
    wait: float = WAIT_S
    frame: float = FRAME_S

    def __post_init__(self) -> None:
        roles = len(self.parents) + 1
        problems = {
            f"between 2 and {ROLE_COUNT_MAX} roles": 2 <= roles <= ROLE_COUNT_MAX,
            "every parent is a lower role": all(0 <= p <= i for i, p in enumerate(self.parents)),
            "at least one round and one element": min(self.rounds, self.elements) >= 1,
            "frame_bytes is a multiple of 8": self.frame_bytes >= 8 and self.frame_bytes % 8 == 0,
            "an exchange is between two roles": not self.exchange or roles == 2,
            "order canonical has lives, and roles in preorder": not self.canonical
            or (self.lives > 0 and self._in_preorder()),
            f"between 0 and {LIVES_MAX} lives": 0 <= self.lives <= LIVES_MAX,
            "budgets are above 0": min(self.connect, self.accept, self.wait, self.frame) > 0,
        }
        wrong = [rule for rule, holds in problems.items() if not holds]
        if wrong:
            raise SystemFailure("a world cannot be simulated", kind="world", hint="; ".join(wrong))

    def _in_preorder(self) -> bool:
        path = [0]  # from the root to the role before
        for role, parent in enumerate(self.parents, 1):
            if parent not in path:
                return False
            path = [*path[: path.index(parent) + 1], role]
        return True

    def _simulator(self) -> Simulator:
        connect, accept, wait, frame = (
            round(s * 1e9) for s in (self.connect, self.accept, self.wait, self.frame)
        )
        return Simulator(
            parents=list(self.parents),
            rounds=self.rounds,
            elements=self.elements,
            frame_bytes=self.frame_bytes,
            budgets_ns=(connect, accept, wait, frame),
            announced=self.announced,
            exchange=self.exchange,
            canonical=self.canonical,
            lives=self.lives,
        )


@dataclass(frozen=True)
class End:
    """How a role ended: "ended", "killed", "stopped"; and never "hanging", "spinning" or "asserted"."""

    state: str
    exit: int  # -1 where it has not ended
    line: str  # the last one that it printed
    seconds: float  # simulated
    calls: int  # system calls


@dataclass(frozen=True)
class Run:
    """One schedule: `choices` replays it, calm ones at its end left out; `violation` is empty if all held."""

    choices: tuple[int, ...]
    options: tuple[int, ...]  # how many there were at each decision
    violation: str
    ends: tuple[End, ...]  # role by role; those of a second life follow those of the first
    story: tuple[str, ...]  # every departure from calm: time, role, call, what
    seconds: float
    harms: int


@dataclass(frozen=True)
class Finding:
    """A schedule that broke a rule: `run` is its seed, or its place in a search."""

    run: int
    choices: tuple[int, ...]
    violation: str


@dataclass(frozen=True)
class Tally:
    """What many schedules came to; the first 16 findings end them."""

    runs: int
    complete: int  # schedules in which every role completed
    harmed: int
    exits: dict[int, int]  # how many roles ended with each exit code
    lost: int  # roles killed or stopped
    calls: int
    decisions_max: int  # of the longest schedule
    whole: bool  # a search that looked at everything
    findings: tuple[Finding, ...]


def run(world: World, seed: int, *, rough: int = 16, harm: int = 250, harm_count_max: int = 2) -> Run:
    """The schedule of a seed.

    Args:
        rough, harm: one decision in so many departs from calm in that way; 0: none does.
        harm_count_max: at most so many harmful departures.
    """
    return _run(world._simulator().seeded(seed, rough, harm, harm_count_max))


def run_many(
    world: World, count: int, *, first: int = 0, rough: int = 16, harm: int = 250, harm_count_max: int = 2
) -> Tally:
    """The schedules of seeds `first` and following, as of `run`; other Python threads go on meanwhile."""
    return _tally(world._simulator().many(first, count, rough, harm, harm_count_max))


def replay(world: World, choices: Sequence[int]) -> Run:
    """The schedule of a list of choices; decisions beyond its end are calm."""
    return _run(world._simulator().listed(list(choices)))


def search(world: World, departures: int, runs_max: int = 1_000_000) -> Tally:
    """Every schedule that departs from calm at most `departures` times; `whole` says that all were run."""
    return _tally(world._simulator().search(departures, runs_max))


def shrink(world: World, choices: Sequence[int]) -> Run:
    """A schedule that breaks a rule with few departures from calm, found by leaving out what can be left out.

    Raises:
        SystemFailure: kind "world", when the choices break no rule.
    """
    simulator = world._simulator()
    best = _run(simulator.listed(list(choices)))
    if not best.violation:
        raise SystemFailure(
            "these choices break no rule", kind="world", hint="shrink a finding of this world"
        )
    smaller: Run | None = best
    while smaller is not None:
        best = smaller
        tried = (_run(simulator.listed(fewer)) for fewer in _fewer(best.choices))
        smaller = next((run for run in tried if run.violation and _size(run) < _size(best)), None)
    return best


def _size(run: Run) -> tuple[int, int]:
    return sum(map(bool, run.choices)), len(run.choices)


def _fewer(choices: tuple[int, ...]) -> Iterator[list[int]]:
    """Lists without some departures; one that is left out may take the decisions that followed along."""
    places = [at for at, choice in enumerate(choices) if choice]
    span = len(places)
    while span > 1:
        span = (span + 1) // 2
        for first in range(0, len(places), span):
            left_out = set(places[first : first + span])
            yield [0 if at in left_out else choice for at, choice in enumerate(choices)]
    for at in places:
        for following in range(SHIFT_MAX):
            yield [*choices[:at], 0, *choices[at + 1 + following :]]
            yield [*choices[:at], *[0] * (following + 1), *choices[at + 1 :]]


_EndRow = tuple[str, int, str, int, int]
_RunRow = tuple[list[int], list[int], str, list[_EndRow], list[str], int, int]
_FindingRow = tuple[int, list[int], str]
_TallyRow = tuple[int, int, int, list[int], int, int, int, bool, list[_FindingRow]]


def _run(row: _RunRow) -> Run:
    choices, options, violation, ends, story, ns, harms = row
    return Run(
        choices=tuple(choices),
        options=tuple(options),
        violation=violation,
        ends=tuple(End(state, code, line, end_ns / 1e9, calls) for state, code, line, end_ns, calls in ends),
        story=tuple(story),
        seconds=ns / 1e9,
        harms=harms,
    )


def _tally(row: _TallyRow) -> Tally:
    runs, complete, harmed, codes, lost, calls, decisions_max, whole, findings = row
    return Tally(
        runs=runs,
        complete=complete,
        harmed=harmed,
        exits={code: count for code, count in enumerate(codes) if count},
        lost=lost,
        calls=calls,
        decisions_max=decisions_max,
        whole=whole,
        findings=tuple(Finding(number, tuple(choices), violation) for number, choices, violation in findings),
    )
