"""Gates pair, star, tree, foreign instruction set and same bits: all hold the declared order's value."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from alpha_build.build.toolchains import TARGETS, available, host_target, install_command
from alpha_build.gates.bench import Bench
from alpha_build.gates.dist import Dist
from alpha_build.gates.gate import Gate, LeftOut, expect
from alpha_build.gates.systems import ELEMENTS, fit, summing
from alpha_build.run import Outcome
from alpha_build.run.artifacts import find_emulator
from alpha_build.state.load import states

Values = NDArray[np.float32]


def contribution(role: int, round_: int, elements: int = ELEMENTS) -> Values:
    steps = np.arange(elements, dtype=np.float32)
    return (np.float32(1) / (np.float32(role) + 3 * steps + np.float32(7 * round_ + 1))).astype(np.float32)


def in_order(values: list[Values], fanout: int) -> Values:
    """Own value, then each child's subtotal in child order; larger subtrees first."""
    total, rest = values[0], values[1:]
    children = min(fanout, len(rest))
    for child in range(children):
        size = len(rest) // children + (child < len(rest) % children)
        begin = child * (len(rest) // children) + min(child, len(rest) % children)
        total = total + in_order(rest[begin : begin + size], fanout)
    return total


def shown(log: Path) -> list[int]:
    return [int(bits) for bits in re.findall(r"\bshow (\d+)", log.read_text())]


def complete(dist: Dist, state: Path | None = None) -> Outcome:
    outcome = dist.run(state)
    expect(outcome.ok, outcome.cause.text if outcome.cause else outcome.as_json())
    return outcome


def check_sum(
    bench: Bench, members: int, fanout: int, topology: str, *, pairing: str = "{}", shared: bool = False
) -> None:
    """Runs the build, and compares the bits at every member with the declared order's, computed here."""
    rounds = 2
    made = bench.shared if shared else bench.dist
    dist = made(summing(members, topology, rounds=rounds, pairing=pairing))
    outcome = complete(dist)
    expected: list[int] = []
    for round_ in range(rounds):
        total = in_order([contribution(role, round_) for role in range(members)], fanout)
        expected += (total / np.float32(members)).view(np.uint32).tolist()
    for role in dist.roles:
        found = shown(dist.path / "logs" / f"role-{role}.log")
        expect(
            found == expected, f"role {role} holds {found[:4]}..., the declared order gives {expected[:4]}..."
        )
    targets = ", ".join(f"{end.role} {end.target}" for end in outcome.ends)
    bench.say(f"roles {targets}: {len(expected)} values each, bits of the declared order at all of them")


def _pair(bench: Bench) -> None:
    check_sum(bench, 2, 1, "Pair()")


def _star(bench: Bench) -> None:
    check_sum(bench, 4, 3, "Star()")


def _tree(bench: Bench) -> None:
    check_sum(bench, 7, 2, "Tree(fanout=2)")


def foreign_target() -> str:
    """An instruction set that is not this machine's and that it can build for and emulate; or LeftOut."""
    host = host_target()
    (foreign,) = [target for target in TARGETS if target != host] if host in TARGETS else ["none"]
    if foreign == "none":
        raise LeftOut(f"this machine is {host}")
    if not available(foreign):
        raise LeftOut(f"no compiler for {foreign} ({install_command(foreign)})")
    if find_emulator(foreign) is None:
        raise LeftOut(f"no emulator of {foreign} (apt-get install qemu-user-static)")
    return foreign


def _foreign(bench: Bench) -> None:
    target = foreign_target()
    for role in (0, 1, 3):
        check_sum(bench, 4, 3, "Star()", pairing=f'{{{role}: ab.Target("{target}")}}')


def need_jax() -> None:
    if any(find_spec(name) is None for name in ("jax", "optax")):
        raise LeftOut("a learner needs JAX and optax (pip install 'alpha-build[jax]')")


def _same_bits(bench: Bench) -> None:
    need_jax()
    _same_bits_twice(bench, bench.dist(fit()))


def _same_bits_twice(bench: Bench, dist: Dist) -> None:
    """Two runs from nothing: every owner's published state, byte for byte."""
    if not dist.build().learns:
        for _ in range(2):
            complete(dist)
        bench.say("completed twice; a protocol of one's own publishes nothing to compare")
        return
    hashes = []
    for _ in range(2):
        folder = bench.new_folder()
        complete(dist, folder)
        hashes.append({owner.role: owner.hash for owner in states(folder)})
    expect(hashes[0] == hashes[1], f"the second run gave {hashes[1]}, the first {hashes[0]}")
    expect(len(set(hashes[0].values())) == 1, f"owners differ: {hashes[0]}")
    bench.say(f"two runs, {len(hashes[0])} owners each: state {next(iter(hashes[0].values()))}")


GATES = (
    Gate("pair", "two members exchange and both combine", _pair),
    Gate("star", "a root and its leaves", _star),
    Gate("tree", "seven members in a tree", _tree),
    Gate("foreign-instruction-set", "any place may be an executable of the other instruction set", _foreign),
    Gate("same-bits", "a second run publishes the same bytes", _same_bits, _same_bits_twice),
)
