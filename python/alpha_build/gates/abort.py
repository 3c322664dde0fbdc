"""Gate abort: one role of seven is killed, stopped or refused; all end in time, and that one is named."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, LeftOut, expect
from alpha_build.gates.processes import running
from alpha_build.gates.systems import summing
from alpha_build.run import Outcome
from alpha_build.run.flight import waits

WAIT_S = 2.0  # a busy machine may let a role wait for its turn
TRAINING_S = 0.3  # after the last role has appeared: rounds go round
PATIENCE_S = 5.0  # of a user's build for one that died while roles were still being started
LEFT_S = 5.0  # in which every process must be gone

# A leaf that does two rounds as it should and lies in the third: Combine is region 0, Deliver region 1.
_TWO_ROUNDS = """\
lower = {lower}
me.connect(lower, ports[0])
for version in (1, 2):
    me.send(lower, 0, version, F32, bytes(132))
    me.receive(lower, 1, version, F32, 132)
frames = me.frames(me.head(lower, 0, {version}, F32), bytes(132))
me.connections[lower].sendall({sent})
try:
    {last}
except OSError:  # reset by the one above, which has refused
    pass
"""
_STAY = "me.connections[lower].recv(1)"
LIES = {
    "a version": ("version", 4, "frames[0]", _STAY),
    "a payload byte": ("bytes", 3, "frames[0][:150] + bytes([frames[0][150] ^ 1]) + frames[0][151:]", _STAY),
    "the end": ("truncated", 3, "frames[0][:150]", "me.abandon()"),
}


def seven() -> str:
    """Role 0 above 1 and 4, 1 above 2 and 3, 4 above 5 and 6; longer than any disturbance takes."""
    return summing(7, "Tree(fanout=2)", rounds=10_000_000, shown=False, wait_s=WAIT_S)


@contextmanager
def signalled(dist: Dist, role: int, number: int, *, at_once: bool = False) -> Iterator[None]:
    """The role of the run inside gets the signal once all have worked a while, or as soon as it is there."""
    over = Event()

    def disturb() -> None:
        name = dist.artifact(role).name
        while not over.wait(0.002 if at_once else 0.02):
            found = running(dist.path)
            if (name in found.values()) if at_once else (len(found) == len(dist.roles)):
                if not over.wait(0 if at_once else TRAINING_S):
                    for pid in (pid for pid, file in found.items() if file == name):
                        with suppress(ProcessLookupError):  # it was quicker
                            os.kill(pid, number)
                return

    thread = Thread(target=disturb, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def check_ended(dist: Dist, outcome: Outcome, culprit: int) -> None:
    """Everyone but the culprit has told why it ended, was done, or waited for roles that never started."""
    for end in outcome.ends:
        if end.role != culprit:
            expect(end.fate not in ("killed", "stopped"), f"role {end.role}: {end.text}")
    deadline = time.monotonic() + LEFT_S
    while (left := running(dist.path)) and time.monotonic() < deadline:
        time.sleep(0.02)
    expect(not left, f"left behind: {sorted(left.values())}")


def check_signal(bench: Bench, dist: Dist, role: int, number: int, kind: str) -> None:
    with signalled(dist, role, number):
        outcome = dist.run(flight=True)
    expect(not outcome.ok and outcome.cause is not None, "the run completed")
    assert outcome.cause is not None
    expect((outcome.cause.role, outcome.cause.kind) == (role, kind), outcome.cause.text)
    check_ended(dist, outcome, role)
    # Its neighbours' flight records show who waited for it.
    neighbours = {edge["peer"] for edge in dist.entry(role)["edges"]}
    waited = {wait.role for wait in waits(outcome.ends) if wait.peer == role}
    expect(waited and waited <= neighbours, f"waits for role {role} were seen at {sorted(waited)}")
    expect(all(end.flight for end in outcome.ends if end.fate == "failed"), "a role printed no flight record")
    bench.say(f"{outcome.seconds:.1f} s: {outcome.cause.text}")


def check_lie(bench: Bench, dist: Dist, role: int, what: str) -> None:
    """A leaf lies: the one above it, which refuses, is named with it."""
    kind, version, sent, last = LIES[what]
    (lower,) = [edge["peer"] for edge in dist.entry(role)["edges"]]
    body = _TWO_ROUNDS.format(lower=lower, version=version, sent=sent, last=last)
    # Python may take long to start on a busy machine: nobody is to be blamed for that.
    patient = dist.budgeted(bench.new_folder() / "dist", connect=20, accept=20, wait=20, frame=20)
    lying = patient.with_peer(role, body, bench.new_folder() / "dist")
    outcome = lying.run(flight=True)
    expect(not outcome.ok and outcome.cause is not None, "the run completed")
    assert outcome.cause is not None
    expect((outcome.cause.role, outcome.cause.peer) == (lower, role), outcome.cause.text)
    expect(outcome.cause.kind == kind, outcome.cause.text)
    check_ended(lying, outcome, role)
    bench.say(f"{outcome.seconds:.1f} s: {outcome.cause.text}")


def _abort(bench: Bench) -> None:
    dist = bench.dist(seven())
    for role in (0, 1, 6):  # the root, one between, a leaf
        check_signal(bench, dist, role, signal.SIGKILL, "killed")
        check_signal(bench, dist, role, signal.SIGSTOP, "stopped")
    for role, what in zip((2, 6, 3), LIES, strict=True):
        check_lie(bench, dist, role, what)


def _abort_dist(bench: Bench, dist: Dist) -> None:
    """The first, the middle and the last role of a user's build are killed in turn."""
    dist, killed = dist.impatient(bench.new_folder() / "dist", PATIENCE_S), 0
    roles = dist.roles
    for role in sorted({roles[0], roles[len(roles) // 2], roles[-1]}):
        for at_once in (False, True):
            with signalled(dist, role, signal.SIGKILL, at_once=at_once):
                outcome = dist.run(bench.new_folder())
            if not outcome.ok:
                break
        if outcome.ok:
            bench.say(f"role {role}: the run was complete before it could be killed")
            continue
        expect(outcome.cause is not None and outcome.cause.role == role, outcome.as_json()["cause"])
        assert outcome.cause is not None
        check_ended(dist, outcome, role)
        bench.say(f"{outcome.seconds:.1f} s: {outcome.cause.text}")
        killed += 1
    if killed == 0:
        raise LeftOut("each run was complete before a role could be killed")


GATES = (Gate("abort", "one fault ends everyone in time, and is named as the cause", _abort, _abort_dist),)
