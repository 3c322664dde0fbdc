"""The command line's manners: exit statuses, one message each, JSON where a program reads."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.command import alpha_build, one_message
from run.fake import make_build

ROOT = """\
for r in range(3):
    say(f"round {r}: loss {r + 0.5}")
say('round 2: metric "accuracy" 0.25')
say("complete: 3 rounds, state " + "0f" * 32)
"""


def test_version_and_help() -> None:
    assert re.fullmatch(r"alpha-build \d+\.\d+\.\d+\S*\n", alpha_build("--version").stdout)
    done = alpha_build("--help")
    assert done.returncode == 0
    for command in ("check", "roles", "run", "project", "inspect", "gate", "bind", "demo"):
        assert re.search(rf"^  {command} ", done.stdout, re.M), command


@pytest.mark.parametrize(
    "arguments", [["rnu"], ["run"], ["run", "dist", "--fast"], ["--nothing"], ["roles", "a.py", "b.py"]]
)
def test_usage_errors(arguments: list[str], tmp_path: Path) -> None:
    done = alpha_build(*arguments, cwd=tmp_path)
    assert done.returncode == 2 and "Usage: alpha-build" in done.stderr and "Traceback" not in done.stderr


def test_the_command_line_starts_fast() -> None:
    """Help needs neither JAX nor rich nor NumPy's slower friends."""
    code = "import sys; sys.argv = ['x', '--help']\ntry: import runpy; runpy.run_module('alpha_build')\n"
    code += "except SystemExit: print('|'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    loaded = set(done.stdout.splitlines()[-1].split("|"))
    assert "alpha_build.cli" in loaded
    assert not loaded & {"jax", "rich", "optax", "sklearn", "safetensors", "elftools", "jinja2"}


def test_one_role_of_a_fleet_is_projected_without_jax_or_numpy() -> None:
    fleet = Path(__file__).parents[2] / "examples" / "fleet.py"
    code = f"import sys; sys.argv = ['x', 'project', {str(fleet)!r}, '--role', '123456']\n"
    code += "try: import runpy; runpy.run_module('alpha_build')\n"
    code += "except SystemExit: print('|'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    *schedule, modules = done.stdout.splitlines()
    assert "repeat 200000 times" in schedule[0] and "up to parent (role 123" in schedule[2]
    assert not set(modules.split("|")) & {"jax", "numpy", "optax", "rich", "jinja2", "cmake"}


def test_check_prints_what_the_page_of_commands_says() -> None:
    root = Path(__file__).parents[2]
    right = alpha_build("check", root / "examples" / "relay.py", "--json")
    found = json.loads(right.stdout)
    assert right.returncode == 0 and list(found) == ["ok", "name", "members", "run", "notices"]
    assert (found["ok"], found["name"], found["members"], found["notices"]) == (True, "relay", 3, [])
    assert re.fullmatch("[0-9a-f]{64}", found["run"])
    wrong = alpha_build("check", root / "tests" / "check" / "refused" / "everything_at_once.py", "--json")
    found = json.loads(wrong.stdout)
    assert wrong.returncode == 1 and list(found) == ["ok", "failures"] and found["ok"] is False
    assert len(found["failures"]) == 7 == wrong.stderr.count("\n")
    assert all(list(each) == ["type", "kind", "where", "message", "hint"] for each in found["failures"])


def test_run_shows_rounds_and_ends_with_the_result(tmp_path: Path) -> None:
    build = make_build(tmp_path, [ROOT, "say('complete: 3 rounds, state ' + '0f' * 32)"])
    done = alpha_build("run", build)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("round 0  loss 0.5")
    assert "round 2  loss 2.5  accuracy 0.25" in done.stdout
    assert lines[-1] == f"state {'0f' * 32}, the same at every owner"
    assert "2 roles complete" in lines[-2] and done.stderr == ""


def test_run_json(tmp_path: Path) -> None:
    build = make_build(tmp_path, [ROOT])
    done = alpha_build("run", build, "--json")
    result = json.loads(done.stdout)
    assert result["ok"] and result["rounds"] == 3 and result["loss"] == 2.5
    assert result["metrics"] == {"accuracy": 0.25} and result["cause"] is None
    assert result["roles"][0]["exit"] == 0 and result["roles"][0]["state"] == "0f" * 32


def test_run_json_of_a_failure(tmp_path: Path) -> None:
    bodies = [
        "time.sleep(0.2); say('refused (truncated): edge 1->0 region 1: reset'); sys.exit(74)",
        "die(signal.SIGKILL)",
    ]
    done = alpha_build("run", make_build(tmp_path, bodies), "--json")
    assert done.returncode == 1
    result = json.loads(done.stdout)
    assert not result["ok"] and result["cause"]["role"] == 1 and result["cause"]["kind"] == "killed"
    assert result["follow_on"] == [0] and result["roles"][1]["signal"] == "SIGKILL"
    assert done.stderr.splitlines()[-1].startswith("alpha-build: first cause: role 1 was killed by SIGKILL")


def test_run_on_a_terminal_draws_a_table(tmp_path: Path) -> None:
    build = make_build(tmp_path, [ROOT])
    manifest = json.loads((build / "manifest.json").read_text())
    (build / "manifest.json").write_text(json.dumps({**manifest, "learner": "00" * 32}))
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "alpha_build", "run", str(build)]
    with subprocess.Popen(argv, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(ours)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    assert process.returncode == 0
    assert "fake, 1 role" in text and "accuracy" in text and re.search(r"2 .* 2\.5 .* 0\.25", text)


@pytest.mark.parametrize("command", ["run", "inspect"])
def test_no_build(tmp_path: Path, command: str) -> None:
    assert "alpha-build roles" in one_message(alpha_build(command, tmp_path))


def test_json_of_an_error(tmp_path: Path) -> None:
    done = alpha_build("run", tmp_path / "nothing", "--json")
    (failure,) = json.loads(done.stdout)["failures"]
    assert failure["kind"] == "no-build" and failure["hint"]
    one_message(done)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"#!/bin/sh\n", bytes(1000)])
def test_inspect_of_something_else(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    assert str(tmp_path / "file") in one_message(alpha_build("inspect", tmp_path / "file"))
    assert "no such file" in one_message(alpha_build("inspect", tmp_path / "missing")).lower()


def test_inspect_of_a_build(tmp_path: Path) -> None:
    build = make_build(tmp_path, ["pass", "pass"], [(0, 1)])
    for path in (build, build / "manifest.json"):
        assert json.loads(alpha_build("inspect", path, "--json").stdout)["name"] == "fake"
    assert "fake.role-1" in alpha_build("inspect", build).stdout
