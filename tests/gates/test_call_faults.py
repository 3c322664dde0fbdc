"""Every system call that an executable makes, failing as Linux says it may: survived, or ended by name.

strace makes the call fail in an unmodified executable: role 1 of a learner, which has a parent and a child.
What is not here cannot fail in a right program: clock_gettime, munmap, exit_group.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build.bind import bind
from alpha_build.gates.systems import IMPATIENT
from alpha_build.run import Outcome, launch, run_build
from alpha_build.run.artifacts import Artifact, command
from gates.conftest import build

pytestmark = [
    pytest.mark.gates,
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace (apt-get install strace)"),
]

ROLE = 1  # below role 0, above role 2
SECONDS_MAX = 40  # budgets are 3, 3, 5 and 5
Traced = Callable[..., Outcome]


@dataclass(frozen=True)
class Row:
    """How a call fails, at any of its places in a run, and the exit codes that this may come to."""

    call: str
    errors: str
    exits: tuple[int, ...]


SURVIVED, ADMISSION, LOCAL, STATE = (0,), (78,), (79,), (80,)
TABLE = (
    # Step 0 and memory.
    Row("fcntl", "EBADF", ADMISSION),
    Row("prlimit64", "EPERM EINVAL", ADMISSION),
    Row("close_range", "ENOSYS EMFILE ENOMEM", SURVIVED),
    Row("rt_sigaction", "EINVAL", SURVIVED),
    Row("mmap", "ENOMEM EAGAIN EPERM", (78, 80)),  # of a published file: it cannot be read
    # Listening, announcing, hearing.
    Row("socket", "EMFILE ENFILE ENOBUFS ENOMEM EACCES EAFNOSUPPORT", ADMISSION),
    Row("bind", "EADDRINUSE EADDRNOTAVAIL EACCES", ADMISSION),
    Row("listen", "EADDRINUSE EOPNOTSUPP", ADMISSION),
    Row("getsockname", "ENOBUFS", (0, 78)),  # of a connection it only tells oneself from a peer
    Row("dup3", "EBUSY EINTR EMFILE", LOCAL),
    Row("read", "EINTR EAGAIN", SURVIVED),
    Row("read", "EIO EISDIR", (75,)),
    # A try to connect or to accept that fails is repeated.
    Row("connect", "EINTR ECONNREFUSED ETIMEDOUT ENETUNREACH EHOSTUNREACH EADDRNOTAVAIL EAGAIN", SURVIVED),
    Row("getsockopt", "ENOBUFS ENOPROTOOPT", SURVIVED),
    Row("getpeername", "ENOBUFS ENOTCONN", SURVIVED),
    Row("setsockopt", "ENOPROTOOPT ENOBUFS EINVAL", SURVIVED),
    Row("accept4", "EINTR ECONNABORTED EMFILE ENFILE ENOBUFS ENOMEM EPROTO EPERM EAGAIN", SURVIVED),
    Row("ppoll", "EINTR ENOMEM", SURVIVED),
    # An open edge; before it is open, an error is a failed try, or a stranger that went away.
    Row("recvfrom", "EINTR EAGAIN", SURVIVED),
    Row("recvfrom", "ECONNRESET ETIMEDOUT EHOSTUNREACH ENOMEM", (0, 74, 75, 76)),
    Row("sendto", "EINTR EAGAIN", SURVIVED),
    Row("sendto", "ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETDOWN ENOBUFS ENOMEM", (74, 75)),
    Row("shutdown", "ENOTCONN ENOBUFS", SURVIVED),
    # Files: admission at the start, later a checkpoint that could not be written; some may fail unharmed.
    Row("close", "EINTR EIO", (0, 80)),
    Row("mkdirat", "EACCES EROFS ENOSPC EDQUOT ENOENT ENOTDIR", (0, 78, 80)),
    Row("openat", "EMFILE ENFILE EACCES EROFS ENOSPC EDQUOT EINTR ENOMEM", (0, 78, 79, 80)),
    Row("write", "EINTR", SURVIVED),
    Row("write", "ENOSPC EDQUOT EIO EFBIG EPIPE", (0, 79, 80)),
    Row("fsync", "EIO ENOSPC EDQUOT EROFS", (78, 80)),
    Row("renameat", "EACCES EROFS ENOSPC EDQUOT EIO EBUSY", STATE),
    Row("unlinkat", "EACCES EROFS EBUSY EIO", SURVIVED),
    Row("getdents64", "EBADF ENOENT", SURVIVED),
)


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Traced:
    """`traced(dist, state, role, *options)`: a run with one role under strace."""

    def trace(dist: Path, state: Path, role: int, *options: str) -> Outcome:
        def under_strace(artifact: Artifact) -> list[str]:
            argv = command(artifact)
            return ["strace", "-qq", *options, *argv] if artifact.role == role else argv

        monkeypatch.setattr(launch, "command", under_strace)
        outcome = run_build(dist, state, json=True)
        monkeypatch.setattr(launch, "command", command)
        return outcome

    return trace


@pytest.fixture(scope="module")
def shared_pair(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One transfer from role 0 to role 1 through shared memory, with budgets of a second."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "pair.py").write_text(IMPATIENT)
    dist = build(folder / "pair.py", folder / "dist")
    bind(dist.path, shared=True)
    return dist.path


def failing(call: str, error: str, when: object) -> list[str]:
    return ["-o", "/dev/null", f"--trace={call}", f"--inject={call}:error={error}:when={when}"]


def calls_made(dist: Path, folder: Path, traced: Traced) -> Counter[str]:
    """How often role 1 makes each call in a run whose state folders are there."""
    run_build(dist, folder / "state", json=True)
    assert traced(dist, folder / "state", ROLE, "-o", str(folder / "log")).ok
    return Counter(re.findall(r"^(\w+)\(", (folder / "log").read_text(), re.M))


def check_ended(outcome: Outcome, row: Row, what: str) -> None:
    ends = {end.role: end for end in outcome.ends}
    said = f"{what}: {outcome.as_json()}"
    assert outcome.seconds < SECONDS_MAX, said
    own = ends[ROLE]
    assert own.exit in row.exits, said
    assert (own.fate == "complete") == (own.exit == 0), said
    if own.exit in (78, 79, 80):
        assert outcome.cause is not None and outcome.cause.role == ROLE, said
    # While roles are still to be started, the launcher ends those that wait for them.
    unstarted = any(end.fate == "not started" for end in outcome.ends)
    for end in outcome.ends:
        assert end.fate in ("complete", "failed", "not started", *(["called off"] if unstarted else [])), said
        assert end.fate != "failed" or end.text, said


@pytest.mark.parametrize("row", TABLE, ids=lambda row: f"{row.call}-{row.errors.split()[0]}")
def test_a_failing_call(fit_dist: Any, tmp_path: Path, traced: Traced, row: Row) -> None:
    """Each place of the call with one of the errors in turn, and each error at least once."""
    dist, state = fit_dist.path, tmp_path / "state"
    count = calls_made(dist, tmp_path, traced)[row.call]
    errors = row.errors.split()
    assert count > 0
    seen = Counter()
    for i in range(max(count, len(errors))):
        nth, error = i % count + 1, errors[i % len(errors)]
        outcome = traced(dist, state, ROLE, *failing(row.call, error, nth))
        check_ended(outcome, row, f"{row.call} {error} at {nth} of {count}")
        seen[{end.role: end.exit for end in outcome.ends}[ROLE]] += 1
        if not outcome.ok:
            after = run_build(dist, state, json=True)
            assert after.ok, (row.call, error, nth, after.as_json())
    assert row.exits == SURVIVED or set(seen) & set(row.exits) - {0}
    print(f"\n{row.call}: {count} places, {len(errors)} errors, exits {dict(seen)}")


@pytest.mark.parametrize(
    ("call", "error", "exit_code", "said"),
    [
        ("connect", "ECONNREFUSED", 75, "connection refused"),
        ("connect", "ENETUNREACH", 75, "network unreachable"),
        ("accept4", "EMFILE", 76, "last accept: too many open files"),
        ("socket", "EMFILE", 78, "too many open files"),
        ("setsockopt", "ENOPROTOOPT", 0, "complete"),
        ("recvfrom", "EAGAIN", 75, "no opening frame"),
        ("bind", "EADDRINUSE", 78, "address in use"),
        ("mmap", "ENOMEM", 78, "memory: this role needs"),
        ("fsync", "EIO", 78, "cannot make"),
    ],
)
def test_a_call_that_always_fails(
    fit_dist: Any, tmp_path: Path, traced: Traced, call: str, error: str, exit_code: int, said: str
) -> None:
    run_build(fit_dist.path, tmp_path / "state", json=True)
    outcome = traced(fit_dist.path, tmp_path / "state", ROLE, *failing(call, error, "1+"))
    (own,) = [end for end in outcome.ends if end.role == ROLE]
    assert own.exit == exit_code, outcome.as_json()
    assert said in own.text or exit_code == 0


# Role 1 gives role 0 a ring.
@pytest.mark.parametrize(
    ("role", "call", "error", "when", "exit_code", "said"),
    [
        (1, "memfd_create", "ENFILE", "1", 78, "edge 1->0: no ring: 2101248 bytes of memory to share"),
        (1, "fallocate", "ENOSPC", "1", 78, "no space left on device"),
        (1, "fallocate", "EINTR", "1", 0, ""),
        (1, "fcntl", "EPERM", "4", 78, "operation not permitted"),  # sealing, after looks at 0 to 2
        (1, "mmap", "ENOMEM", "2", 78, "out of memory"),
        (0, "fcntl", "EINVAL", "4", 78, "edge 1->0: no ring: its memory is not memory without a name"),
        (0, "mmap", "ENOMEM", "2", 78, "edge 1->0: no ring: its memory is out of memory"),
        (0, "recvmsg", "EINTR", "1", 0, ""),
        (0, "recvmsg", "ECONNRESET", "1", 0, ""),
    ],
)
def test_a_call_of_shared_memory_that_fails(
    shared_pair: Path,
    traced: Traced,
    role: int,
    call: str,
    error: str,
    when: str,
    exit_code: int,
    said: str,
) -> None:
    outcome = traced(shared_pair, None, role, *failing(call, error, when))
    (own,) = [end for end in outcome.ends if end.role == role]
    assert own.exit == exit_code, outcome.as_json()
    assert said in own.text or exit_code == 0


def test_a_limit_of_files_is_no_signal(shared_pair: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory without a name counts as a file: its limit ends a role by name."""

    def limited(artifact: Artifact) -> list[str]:
        return ["sh", "-c", "ulimit -f 64; exec $0 $@", *command(artifact)]

    monkeypatch.setattr(launch, "command", limited)
    outcome = run_build(shared_pair, None, json=True)
    assert outcome.cause is not None, outcome.as_json()
    assert outcome.cause.kind == "admission" and "file too large" in outcome.cause.text


@pytest.mark.parametrize("role", [0, 1, 2])
def test_a_protocol_of_one_s_own_survives_every_interruption(
    relay_dist: Any, tmp_path: Path, traced: Traced, role: int
) -> None:
    calls = "read,write,connect,accept4,ppoll,recvfrom,sendto"
    outcome = traced(relay_dist.path, tmp_path / "state", role, *failing(calls, "EINTR", "1+2"))
    assert outcome.ok, outcome.as_json()
