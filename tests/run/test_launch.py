"""The launcher with fake roles: order, ports, logs, rounds, and what it says of each way to fail."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from alpha_build.run import run_build
from run.fake import is_gone, make_build, pids

STAR = [(0, 1), (0, 2)]
LEAF = "hear(1)\n"


def no_process_left(folder: Path) -> bool:
    return all(is_gone(pid) for pid in pids(folder).values())


def test_roles_start_in_order_each_after_the_previous_announced(tmp_path: Path) -> None:
    bodies = [
        "time.sleep(0.2); announce(1, 2)",
        "hear(1); time.sleep(0.2); announce(3)",
        "hear(2)",
    ]
    build = make_build(tmp_path, bodies, [(0, 1), (0, 2), (1, 2)])
    # Each role would take less than the next one's start if they ran at once.
    assert run_build(build, json=True).ok
    assert list(pids(build)) == [0, 1, 2]


def test_ports_reach_the_right_roles(tmp_path: Path) -> None:
    """Each edge carries its own port: two bytes, big-endian, in edge order."""
    bodies = [
        "announce(0x0102, 0xfffe)",
        "assert hear(1) == (0x0102,), 1; announce(7)",
        "assert hear(2) == (0xfffe, 7), 2",
    ]
    outcome = run_build(make_build(tmp_path, bodies, [(0, 1), (0, 2), (1, 2)]), json=True)
    assert outcome.ok, outcome.cause


def test_only_edges_with_port_0_are_heard(tmp_path: Path) -> None:
    build = make_build(tmp_path, ["announce(1, 2)", "assert sys.stdin.buffer.read() == b''", LEAF], STAR)
    manifest = json.loads((build / "manifest.json").read_text())
    manifest["roles"][1]["edges"][0]["port"] = 4001
    (build / "manifest.json").write_text(json.dumps(manifest))
    assert run_build(build, json=True).ok


def test_an_announcement_may_come_byte_by_byte(tmp_path: Path) -> None:
    root = "for byte in (b'\\x12', b'\\x34', b'\\x56', b'\\x78'):\n    os.write(1, byte); time.sleep(0.05)\n"
    bodies = [root, "assert hear(1) == (0x1234,)", "assert hear(1) == (0x5678,)"]
    assert run_build(make_build(tmp_path, bodies, STAR), json=True).ok


def test_real_connections_over_announced_ports(tmp_path: Path) -> None:
    root = """\
listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
announce(*(each.getsockname()[1] for each in listeners))
for listener in listeners:
    peer, _ = listener.accept()
    assert peer.recv(1) == b"x"
"""
    leaf = "socket.create_connection(('127.0.0.1', hear(1)[0])).sendall(b'x')"
    assert run_build(make_build(tmp_path, [root, leaf, leaf], STAR), json=True).ok


def test_fifty_roles(tmp_path: Path) -> None:
    edges = [((role - 1) // 7, role) for role in range(1, 50)]
    bodies = []
    for role in range(50):
        children = sum(lower == role for lower, _ in edges)
        bodies.append(
            f"{'hear(1)' if role else ''}\nannounce({', '.join(['9'] * children)})\nsay('complete')"
        )
    build = make_build(tmp_path, bodies, edges)
    outcome = run_build(build, json=True)
    assert outcome.ok and len(outcome.ends) == 50
    assert no_process_left(build)


def test_rounds_metrics_and_state_are_read(tmp_path: Path) -> None:
    root = """\
for r in range(3):
    say(f"round {r}: loss {1 / (r + 1)!r}")
    if r == 1:
        say('round 1: metric "accuracy" 0.5')
        say('round 1: metric "a \\\\"b\\\\" \\\\u00e4" nan')
say("complete: 3 rounds, state " + "0f" * 32)
"""
    build = make_build(tmp_path, [root])
    outcome = run_build(build, json=True)
    assert outcome.ok and outcome.rounds == 3 and outcome.loss == pytest.approx(1 / 3)
    assert outcome.metrics["accuracy"] == 0.5
    assert outcome.ends[0].state == "0f" * 32
    rows = [json.loads(line) for line in (build / "logs/rounds.jsonl").read_text().splitlines()]
    assert [row["round"] for row in rows] == [0, 1, 2]
    assert [row["loss"] for row in rows] == [1.0, 0.5, pytest.approx(1 / 3)]
    assert rows[1]["metrics"] == {"accuracy": 0.5, 'a "b" ä': None} and rows[2]["metrics"] == {}
    assert 0 <= rows[0]["seconds"] <= rows[2]["seconds"] <= outcome.seconds


def test_long_lines_stay_whole_and_carry_their_role(tmp_path: Path) -> None:
    """Lines of 500 characters from four roles at once, each written in two pieces."""
    body = """\
for i in range(40):
    line = f"{ROLE}:{i}:".ljust(499, "x") + "."
    os.write(2, line[:300].encode()); os.write(2, line[300:].encode() + b"\\n")
os.write(2, b"no end of line")
"""
    build = make_build(tmp_path, [body] * 4)
    assert run_build(build, json=True).ok
    for role in range(4):
        prefix = f"alpha-build: role {role}: "
        lines = (build / f"logs/role-{role}.log").read_text().splitlines()
        assert lines == [
            *(prefix + f"{role}:{i}:".ljust(499, "x") + "." for i in range(40)),
            prefix + "no end of line",
        ]


def test_a_flood_does_not_block_the_role(tmp_path: Path) -> None:
    body = "for i in range(3000): os.write(2, b'y' * 1000 + b'\\n')\nos.write(2, b'z' * 3000000)"
    build = make_build(tmp_path, [body] * 2)
    assert run_build(build, json=True).ok
    assert (build / "logs/role-1.log").stat().st_size > 6_000_000


KILL_1 = [
    "announce(1, 2); time.sleep(0.3); say('refused (truncated): edge 1->0 region 1: ended'); sys.exit(74)",
    "hear(1); time.sleep(0.2); die(signal.SIGKILL)",
    "hear(1); time.sleep(0.4); say('refused (truncated): edge 0->2 region 1: ended'); sys.exit(74)",
]


def test_a_killed_role_is_the_first_cause(tmp_path: Path) -> None:
    outcome = run_build(make_build(tmp_path, KILL_1, STAR), json=True)
    assert not outcome.ok and outcome.cause is not None
    assert (outcome.cause.role, outcome.cause.kind) == (1, "killed")
    assert (
        "role 1 was killed by SIGKILL" in outcome.cause.text and "role 0 waited for it" in outcome.cause.text
    )
    assert [end.role for end in outcome.follow_on] == [0, 2]


def test_a_killed_role_is_found_along_a_chain(tmp_path: Path) -> None:
    """2 waits for 1, 1 for 0, and 0 died: those that waited may even end first."""
    bodies = [
        "announce(1); time.sleep(0.5); die(signal.SIGSEGV)",
        LEAF
        + "announce(1); time.sleep(.3); say('budget exhausted (wait): edge 0->1 region 2'); sys.exit(77)",
        LEAF + "time.sleep(0.2); say('budget exhausted (wait): edge 1->2 region 2: 2 s'); sys.exit(77)",
    ]
    outcome = run_build(make_build(tmp_path, bodies, [(0, 1), (1, 2)]), json=True)
    assert outcome.cause is not None and outcome.cause.role == 0 and "SIGSEGV" in outcome.cause.text


def test_a_corrupted_payload_names_the_sender_and_the_digest(tmp_path: Path) -> None:
    bodies = [
        "announce(1, 2); time.sleep(.2); say('refused (bytes): edge 1->0 region 1: digest'); sys.exit(73)",
        "hear(1); time.sleep(0.3); say('refused (truncated): edge 0->1 region 2: reset'); sys.exit(74)",
        "hear(1); time.sleep(0.3); say('refused (truncated): edge 0->2 region 2: reset'); sys.exit(74)",
    ]
    outcome = run_build(make_build(tmp_path, bodies, STAR), json=True)
    cause = outcome.cause
    assert cause is not None and (cause.role, cause.peer, cause.kind) == (0, 1, "bytes")
    assert cause.text == "role 0 refused what role 1 sent (bytes): edge 1->0 region 1: digest"
    assert [end.role for end in outcome.follow_on] == [1, 2]


def test_a_local_failure_is_the_first_cause(tmp_path: Path) -> None:
    bodies = [
        "announce(1, 2); time.sleep(.2); say('refused (truncated): edge 2->0 region 1: reset'); sys.exit(74)",
        LEAF + "time.sleep(0.4); say('refused (truncated): edge 0->1 region 1: reset'); sys.exit(74)",
        LEAF + "time.sleep(0.1); say('local operation failed: region g: element 5 is nan'); sys.exit(79)",
    ]
    cause = run_build(make_build(tmp_path, bodies, STAR), json=True).cause
    assert cause is not None and (cause.role, cause.kind) == (2, "local") and "element 5 is nan" in cause.text


def test_a_stopped_role_is_the_first_cause_and_is_not_waited_for(tmp_path: Path) -> None:
    bodies = [
        "announce(1, 2); time.sleep(.3); say('budget exhausted (wait): edge 1->0 region 1'); sys.exit(77)",
        LEAF + "die(signal.SIGSTOP)",
        LEAF + "time.sleep(0.4); say('refused (truncated): edge 0->2 region 1: reset'); sys.exit(74)",
    ]
    build = make_build(tmp_path, bodies, STAR, {"wait": 300})
    begin = time.monotonic()
    cause = run_build(build, json=True).cause
    assert time.monotonic() - begin < 60
    assert cause is not None and cause.role == 1 and "stopped" in cause.text
    assert no_process_left(build)


def test_a_deaf_role_is_ended_within_the_budget(tmp_path: Path) -> None:
    bodies = [
        "announce(1, 2)\n"
        f"while open({str(tmp_path / 'pids')!r}).read().count('\\n') < 3: time.sleep(0.01)\n"
        "say('budget exhausted (wait): edge 1->0 region 1'); sys.exit(77)",
        LEAF + "time.sleep(600)",
        LEAF + "say('refused (truncated): edge 0->2 region 1: reset'); sys.exit(74)",
    ]
    build = make_build(tmp_path, bodies, STAR, {"wait": 1, "frame": 1})
    begin = time.monotonic()
    cause = run_build(build, json=True).cause
    assert 1.5 < time.monotonic() - begin < 30
    assert cause is not None and cause.role == 1 and "said nothing" in cause.text
    assert no_process_left(build)


def test_a_role_that_never_announces_does_not_hang_the_run(tmp_path: Path) -> None:
    bodies = ["announce(1)\ntime.sleep(600)", "hear(1); os.write(1, b'x'); time.sleep(600)", "hear(2)"]
    build = make_build(tmp_path, bodies, [(0, 1), (1, 2)], {"connect": 1})
    begin = time.monotonic()
    outcome = run_build(build, json=True)
    assert time.monotonic() - begin < 30
    assert outcome.cause is not None and outcome.cause.role == 1
    assert "announced 0 of its 1 ports within 1 s" in outcome.cause.text
    assert [end.fate for end in outcome.ends] == ["stopped", "stopped", "not started"]
    assert no_process_left(build)


def test_a_role_that_ends_before_it_announced_is_the_cause(tmp_path: Path) -> None:
    bodies = [
        "say('admission refused: 127.0.0.1:80: permission denied'); sys.exit(78)",
        LEAF,
    ]
    outcome = run_build(make_build(tmp_path, bodies, [(0, 1)]), json=True)
    assert outcome.cause is not None and (outcome.cause.role, outcome.cause.kind) == (0, "admission")
    assert "127.0.0.1:80" in outcome.cause.text
    assert list(pids(tmp_path)) == [0]


def test_who_waits_for_one_that_was_never_started_is_called_off(tmp_path: Path) -> None:
    """Nobody says that such a role had stopped talking: `run` ended it, since role 2 was not to come."""
    bodies = ["announce(1, 2)\ntime.sleep(600)", "die(signal.SIGKILL)", LEAF]
    outcome = run_build(make_build(tmp_path, bodies, [(0, 1), (0, 2), (1, 2)]), json=True)
    assert [end.fate for end in outcome.ends] == ["called off", "killed", "not started"]
    assert outcome.cause is not None and outcome.cause.role == 1
    assert "called off" in outcome.ends[0].text


def test_a_role_that_ends_well_without_announcing_fails(tmp_path: Path) -> None:
    outcome = run_build(make_build(tmp_path, ["pass", LEAF], [(0, 1)]), json=True)
    assert not outcome.ok and outcome.cause is not None and "before it had announced" in outcome.cause.text


def test_a_failure_without_a_line_still_names_the_role(tmp_path: Path) -> None:
    outcome = run_build(make_build(tmp_path, ["pass", "sys.exit(3)"]), json=True)
    assert outcome.cause is not None and outcome.cause.text == "role 1 ended with status 3 and said nothing"


def test_a_session_budget_bounds_a_silent_run(tmp_path: Path) -> None:
    build = make_build(tmp_path, ["time.sleep(600)"] * 2, budgets={"session": 0.5, "wait": 0.5})
    begin = time.monotonic()
    outcome = run_build(build, json=True)
    assert time.monotonic() - begin < 30 and not outcome.ok and outcome.cause is not None
    assert no_process_left(build)


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    def count() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    before = count()
    run_build(make_build(tmp_path / "a", ["pass"] * 3), json=True)
    run_build(make_build(tmp_path / "b", KILL_1, STAR), json=True)
    assert count() == before
