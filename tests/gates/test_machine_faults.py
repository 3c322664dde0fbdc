"""A real machine's faults on unmodified executables: links, stops, ports and descriptors not to be had."""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from alpha_build.build.bind import bind
from alpha_build.gates.bench import Bench
from gates.test_kill import command_line, processes, training

pytestmark = [pytest.mark.gates, pytest.mark.slow]


def can_make_networks() -> bool:
    words = ["unshare", "--net", "true"]
    return (
        os.geteuid() == 0 and bool(shutil.which("ip")) and subprocess.run(words, check=False).returncode == 0
    )


needs_networks = pytest.mark.skipif(not can_make_networks(), reason="needs root and ip (network namespaces)")


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


@pytest.fixture
def hosts() -> Iterator[tuple[str, str]]:
    """Two machines, 10.77.0.1 and 10.77.0.2, with one cable between them."""
    near, far = f"alpha-near-{os.getpid()}", f"alpha-far-{os.getpid()}"
    with ExitStack() as stack:
        for name in (near, far):
            ip("netns", "add", name)
            stack.callback(ip, "netns", "del", name)
        ip("-n", near, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", far)
        for number, name in enumerate((near, far), 1):
            ip("-n", name, "address", "add", f"10.77.0.{number}/24", "dev", "cable")
            ip("-n", name, "link", "set", "cable", "up")
            ip("-n", name, "link", "set", "lo", "up")
        yield near, far


def moved(dist: Path, tmp_path: Path, addresses: dict[str, Any]) -> Path:
    """A copy of a build, bound to other addresses."""
    copy = tmp_path / "moved"
    shutil.copytree(dist, copy, ignore=shutil.ignore_patterns("build", "src", "state", "logs"))
    (tmp_path / "addresses.json").write_text(json.dumps({"roles": addresses}))
    bind(copy, tmp_path / "addresses.json")
    return copy


class Spread:
    """Roles of a long run on two machines: the last one far, the others near, and no launcher."""

    def __init__(self, dist: Path, manifest: dict[str, Any], tmp_path: Path, hosts: tuple[str, str]) -> None:
        from alpha_build.run.artifacts import command, read_build

        roles = manifest["roles"]
        last = max(row["role"] for row in roles)
        addresses: dict[str, Any] = {}
        for row in roles:
            ports = {
                str(edge["peer"]): 5000 + 16 * row["role"] + edge["peer"]
                for edge in row["edges"]
                if edge["side"] == "lower"
            }
            host = 2 if row["role"] == last else 1
            addresses[str(row["role"])] = {"address": f"10.77.0.{host}", "ports": ports}
        build = read_build(moved(dist, tmp_path, addresses))
        self.last = last
        self.processes = {
            artifact.role: subprocess.Popen(
                ["ip", "netns", "exec", hosts[artifact.role == last], *command(artifact),
                 "--state", str(tmp_path / "state")],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )
            for artifact in build.artifacts
        }  # fmt: skip

    def wait_for_rounds(self, count: int) -> None:
        root = self.processes[0]
        assert root.stderr is not None
        for _ in range(count):
            line = root.stderr.readline()
            assert ": round " in line, line

    def end(self, seconds: float) -> dict[int, tuple[int, str]]:
        """Exit code and last line of each role, which end by themselves."""
        deadline = time.monotonic() + seconds
        ended = {}
        for role, process in self.processes.items():
            _, said = process.communicate(timeout=max(0.1, deadline - time.monotonic()))
            ended[role] = process.returncode, said.strip().rpartition("\n")[2]
        return ended

    def __enter__(self) -> Spread:
        return self

    def __exit__(self, *_: object) -> None:
        for process in self.processes.values():
            process.kill()
            process.communicate()


def cable_down(hosts: tuple[str, str]) -> None:
    ip("-n", hosts[1], "link", "set", "cable", "down")


def route_refused(hosts: tuple[str, str]) -> None:
    ip("-n", hosts[0], "route", "add", "unreachable", "10.77.0.2/32")
    ip("-n", hosts[1], "route", "add", "unreachable", "10.77.0.1/32")


def silence(hosts: tuple[str, str]) -> None:
    ip("-n", hosts[0], "route", "add", "blackhole", "10.77.0.2/32")
    ip("-n", hosts[1], "route", "add", "blackhole", "10.77.0.1/32")


def filtered(rule: str) -> Callable[[tuple[str, str]], None]:
    def apply(hosts: tuple[str, str]) -> None:
        rules = f"type filter hook input priority 0; iifname cable tcp sport 1-65535 {rule}"
        text = f"table ip faults {{\nchain input {{\n{rules}\n}}\n}}\n"
        for host in hosts:
            subprocess.run(["ip", "netns", "exec", host, "nft", "-f", "-"], input=text, text=True, check=True)

    return apply


needs_nft = pytest.mark.skipif(shutil.which("nft") is None, reason="needs nft (apt-get install nftables)")
FAULTS = [
    pytest.param(cable_down, id="the cable is pulled"),
    pytest.param(route_refused, id="no route"),
    pytest.param(silence, id="packets vanish"),
    pytest.param(filtered("drop"), id="nft drops", marks=needs_nft),
    pytest.param(filtered("reject with tcp reset"), id="nft resets", marks=needs_nft),
]


@needs_networks
@pytest.mark.parametrize("fault", FAULTS)
def test_a_network_between_two_machines_fails(
    fault: Callable[[tuple[str, str]], None], long_dist: Any, tmp_path: Path, hosts: tuple[str, str]
) -> None:
    """Everybody ends inside the budgets, both ends of the broken edge name it, and nothing is published."""
    seconds = 2 * (5 + 5)  # twice the budgets
    with Spread(long_dist.path, long_dist.manifest, tmp_path, hosts) as spread:
        spread.wait_for_rounds(20)
        fault(hosts)
        ended = spread.end(seconds)
    for role, (code, said) in ended.items():
        assert code in (74, 77), (role, code, said)
        assert "refused (truncated): edge " in said or "budget exhausted (" in said, said
    (peer,) = [
        edge["peer"]
        for row in long_dist.manifest["roles"]
        if row["role"] == spread.last
        for edge in row["edges"]
    ]
    for role in (peer, spread.last):
        assert any(
            f"edge {a}->{b}" in ended[role][1] for a, b in ((peer, spread.last), (spread.last, peer))
        ), ended
    assert not list((tmp_path / "state").glob("role-*/published"))


@pytest.mark.parametrize("role", [0, 1, 2])
def test_a_short_stop_is_survived(long_dist: Any, tmp_path: Path, role: int) -> None:
    """As when a laptop is shut for a moment: rounds go on afterwards."""
    log = long_dist.path / "logs" / "rounds.jsonl"
    with training(long_dist.path, tmp_path / "state") as launcher:
        (pid,) = [pid for pid in processes() if f"/fit.role-{role}." in command_line(pid)]
        os.kill(pid, signal.SIGSTOP)
        time.sleep(0.7)
        during = log.read_text().count("\n")
        os.kill(pid, signal.SIGCONT)
        # More than the others and a launcher that lags behind may have had under way.
        deadline = time.monotonic() + 60
        while log.read_text().count("\n") < during + 50:
            assert time.monotonic() < deadline and launcher.poll() is None
            time.sleep(0.02)
        launcher.send_signal(signal.SIGINT)
        launcher.communicate(timeout=10)


# One leaf of 4,096,040 bytes, exchanged and combined; what it comes to is told in one number.
LARGE = """\
import alpha_build as ab
fills = [
    ab.Operation(f"fill_{role}", writes=["x"],
        cpp="for (std::size_t i = 0; i < x.size(); ++i) "
            f"x[i] = 1.0f / static_cast<float>({role} + 3 * i + 1);")
    for role in range(2)]
show = ab.Operation("show", reads=["x"], preamble='#include "base/text.h"\\n#include "role/print.h"', cpp='''
    alpha::u64 sum = 0;
    for (float value : x) {
      unsigned bits;
      __builtin_memcpy(&bits, &value, 4);
      sum = (sum ^ bits) * 1099511628211u;
    }
    alpha::Text<80> text;
    text.add("show ", sum);
    alpha::print_message(0, text.c_str());''')
system = ab.System(
    name="large", members=2, topology=ab.Pair(), regions={"x": ab.Region("f32", (1_024_010,))},
    operations=[*fills, show],
    protocol=ab.Repeat(3, ab.Sequence(
        ab.Local(0, "fill_0"), ab.Local(1, "fill_1"), ab.Combine("x"), ab.Deliver("x"), ab.Everyone("show"))),
)
"""


@needs_networks
def test_socket_buffers_of_a_page_change_no_bit(session: Bench) -> None:
    """Every call moves a little of a large frame, both ways at once."""
    dist = session.dist(LARGE)

    def shown() -> list[list[str]]:
        logs = [dist.path / "logs" / f"role-{role}.log" for role in dist.roles]
        return [re.findall(r"\bshow (\d+)", log.read_text()) for log in logs]

    assert dist.run().ok
    expected = shown()
    assert len(expected[0]) == 3 and expected[0] == expected[1]
    buffers = "; ".join(f"echo 4096 4096 4096 > /proc/sys/net/ipv4/tcp_{way}mem" for way in "rw")
    setting = f'ip link set lo up; {buffers}; exec "$@"'
    run = [sys.executable, "-m", "alpha_build", "run", str(dist.path)]
    done = subprocess.run(
        ["unshare", "--net", "sh", "-ec", setting, "sh", *run], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert shown() == expected


def started(artifact: Path, cwd: Path, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [artifact], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30, cwd=cwd, **options
    )


def test_an_address_of_another_machine_is_named(relay_dist: Any, tmp_path: Path) -> None:
    copy = moved(relay_dist.path, tmp_path, {"0": {"address": "192.0.2.1", "ports": {"1": 4000, "2": 4001}}})
    (row,) = [row for row in relay_dist.manifest["roles"] if row["role"] == 0]
    done = started(copy / row["file"], tmp_path)
    assert done.returncode == 78
    assert "cannot listen on 192.0.2.1:4000: address not on this machine" in done.stderr


@pytest.mark.parametrize("limit", [3, 4, 10, 19])
def test_too_few_descriptors_are_named(relay_dist: Any, tmp_path: Path, limit: int) -> None:
    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

    done = started(relay_dist.artifact(0), tmp_path, preexec_fn=limited)
    assert done.returncode == 78
    assert (
        done.stderr
        == f"alpha-build: role 0: admission refused: descriptors: 20 needed, {limit} allowed (ulimit -n)\n"
    )
