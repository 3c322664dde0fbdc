"""A choice across three processes in a chain: both arms over a repeat, and peers that lie about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from alpha_build.build.toolchains import available
from alpha_build.gates.peer import F32, WORD, Peer, seal
from alpha_build.gates.processes import Started, starter
from alpha_build.run.artifacts import find_emulator
from gates.conftest import Dist, alpha_build, build

pytestmark = pytest.mark.gates
FRAME, EDGE, BYTES = 70, 71, 73

# The choice is region 0, its first arm's transfers 1 and 2, its second's 3 and 4.
CHAIN = """\
import alpha_build as ab
PRINT = '#include "base/text.h"\\n#include "role/print.h"'
def told(name):
    return ab.Operation(name, preamble=PRINT,
        cpp=f'alpha::Text<80> text; text.add("{name} ", round); alpha::print_message(0, text.c_str());')
decide = ab.Operation("decide", writes=["go"], cpp="go = round % 3 == 1 ? 1 : 0;")
system = ab.System(
    name="chain", members=3, topology=ab.Tree(fanout=1), pairing={pairing},
    regions={"x": ab.Region("f32", (8,), initial=1), "y": ab.Region("f32", (8,), initial=2), "go": ab.Word()},
    operations=[decide, told("then"), told("otherwise")], budgets=ab.Budgets(connect=20, accept=20, wait=20),
    protocol=ab.Repeat(5, ab.Sequence(ab.Local(0, "decide"), ab.Choice(0, "go", routes=[(0, 1), (1, 2)],
        then=ab.Sequence(ab.Transfer(0, 1, "x"), ab.Transfer(1, 2, "x"), ab.Everyone("then")),
        otherwise=ab.Sequence(ab.Transfer(2, 1, "y"), ab.Transfer(1, 0, "y"), ab.Everyone("otherwise"))))),
)
"""
FRAME, EDGE, BYTES = 70, 71, 73
EMULATED = bool(find_emulator("aarch64") and available("aarch64"))
X, Y = (np.full(8, value, "<f4").tobytes() for value in (1, 2))
ONE, ZERO = (bytes([word]) + bytes(7) for word in (1, 0))


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Dist:
    folder = tmp_path_factory.mktemp("chain")
    pairing = '{0: ab.Target("aarch64")}' if EMULATED else "{}"
    (folder / "chain.py").write_text(CHAIN.replace("{pairing}", pairing))
    return build(folder / "chain.py", folder / "dist")


@pytest.fixture
def started(chain: Dist, tmp_path: Path) -> Iterator[Any]:
    with starter(tmp_path) as start:
        yield lambda role, lower_ports: start(chain, role, lower_ports)


@pytest.fixture
def peer(chain: Dist) -> Iterator[Any]:
    made: list[Peer] = []

    def make(role: int) -> Peer:
        made.append(Peer(role, bytes.fromhex(chain.manifest["run"]), chain.manifest["frame_bytes"]))
        return made[-1]

    yield make
    for each in made:
        each.abandon()


def test_both_arms_are_taken_by_everybody_in_the_same_rounds(chain: Dist) -> None:
    done = alpha_build("run", chain.path, "--json")
    assert done.returncode == 0, done.stderr
    for role in range(3):
        said = (chain.path / "logs" / f"role-{role}.log").read_text()
        assert re.findall(r"then (\d)", said) == ["1", "4"]
        assert re.findall(r"otherwise (\d)", said) == ["0", "2", "3"]


def test_an_authority_that_sends_the_inverted_word_is_refused(started: Any, peer: Any) -> None:
    """It says 1 and does what belongs to 0: its next frame is another form's."""
    zero = peer(0)
    one = started(1, zero.bind([1]))
    two = started(2, one.ports)
    zero.accept(1)
    zero.send(1, 0, 1, WORD, ONE)
    zero.send(1, 0, 2, WORD, ONE)
    status, said = one.end()
    assert status == EDGE and "refused (edge): edge 0->1 region 1" in said
    assert two.end().status != 0


def forwarder(started: Any, peer: Any) -> tuple[Peer, Started]:
    """The lie is role 1's, the executable role 2."""
    one = peer(1)
    two = started(2, one.bind([2]))
    one.accept(2)
    return one, two


def test_a_true_forwarder_is_followed(started: Any, peer: Any) -> None:
    one, two = forwarder(started, peer)
    passes = {1: 0, 0: 0}
    for round_ in range(5):
        word = int(round_ % 3 == 1)
        passes[word] += 1
        one.send(2, 0, round_ + 1, WORD, ONE if word else ZERO)
        if word:
            one.send(2, 2, passes[1], F32, X)
        else:
            assert one.receive(2, 3, passes[0], F32, 32) == Y
    one.close(2)
    assert two.end().status == 0


def test_a_forwarder_that_decides_on_its_own_is_refused(started: Any, peer: Any) -> None:
    """The authority said 1, which role 2 never learns; what then comes belongs to the other arm."""
    one, two = forwarder(started, peer)
    one.send(2, 0, 1, WORD, ZERO)
    assert one.receive(2, 3, 1, F32, 32) == Y
    one.send(2, 2, 1, F32, X)
    status, said = two.end()
    assert status == EDGE and "refused (edge): edge 1->2 region 0" in said


@pytest.mark.parametrize("word", [b"\x02" + bytes(7), b"\xff" * 8, bytes(7) + b"\x01"])
def test_a_forwarded_word_that_is_not_canonical_is_refused(started: Any, peer: Any, word: bytes) -> None:
    one, two = forwarder(started, peer)
    one.send(2, 0, 1, WORD, word)
    status, said = two.end()
    assert status == BYTES and "refused (bytes): edge 1->2 region 0" in said


@pytest.mark.parametrize(
    ("lie", "code"),
    [
        ({"sender": 0, "receiver": 1}, EDGE),  # the authority's own frame, passed on as it came
        ({"run": bytes(32)}, FRAME),
        ({"region": 2}, EDGE),
        ({"element": F32}, EDGE),
    ],
    ids=["edge", "run", "region", "element"],
)
def test_a_word_bound_to_something_else_is_refused(started: Any, peer: Any, lie: Any, code: int) -> None:
    one, two = forwarder(started, peer)
    head = replace(one.head(2, 0, 1, WORD), extent=8, total=8, **lie)
    one.connections[2].sendall(seal(head, ONE))
    status, said = two.end()
    assert status == code and "edge 1->2" in said
