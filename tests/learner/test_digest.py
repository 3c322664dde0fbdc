"""Digests of programs and learners, blind to names and places; saved programs that come back the same."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import optax
import pytest

import alpha_build as ab
from alpha_build.learner.digest import learner_digest, program_digest
from alpha_build.learner.lower import lower
from alpha_build.learner.program import LearnerProgram
from alpha_build.learner.saved import load, load_system, save, to_bytes
from alpha_build.learner.trace import trace_learner
from alpha_build.system.errors import LearnerFailure
from learner.learners import LEARNERS, LINEAR, X, Y, learner, linear_loss


def a_loss_of_another_name(p: Any, inputs: Any, target: Any) -> Any:
    unrelated = [3, 4]
    unrelated.append(5)
    prediction = inputs @ p["w"]
    return (prediction + p["b"] - target) ** 2


def _traced(loss: Any = linear_loss, **changes: Any) -> LearnerProgram:
    return trace_learner(learner(loss, **changes))


def _around(given: Any) -> ab.System:
    """A system with something in every field that is saved."""
    return ab.System(
        name="saved",
        members=ab.ParticipantGroup(
            universe=9,
            epoch=2,
            identity=b"x",
            selection=ab.join(ab.stride(0, 2, 2), ab.repeat(2, 3, ab.stride(5, 1, 1))),
        ),
        topology=ab.Tree(fanout=3),
        learner=given,
        contract=ab.Contract(order="canonical", rounding="separate", block=16),
        pairing={5: ab.Target("aarch64")},
        budgets=ab.Budgets(wait=7.5, session=60),
        frame_bytes=4096,
    )


def test_names_places_and_unrelated_python_do_not_alter_it() -> None:
    assert _traced(a_loss_of_another_name).digest == _traced().digest
    moved = replace(
        _traced().block, equations=tuple(replace(e, place="x.py:1") for e in _traced().block.equations)
    )
    assert program_digest(moved) == program_digest(_traced().block)


@pytest.mark.parametrize(
    "changes",
    [
        {"optimizer": optax.sgd(0.2)},
        {"optimizer": optax.sgd(0.1, momentum=0.9)},
        {"batch": 63},
        {"rounds": 4},
        {"samples": (X, Y + np.float32(1e-6))},
        {"state": dict(LINEAR, b=np.float32(1e-6))},
        {"weights": np.ones(len(X))},
        {"loss": lambda p, x, y: (x @ p["w"] + p["b"] - y) ** 2 * np.float32(1.0000001)},
    ],
    ids=["rate", "momentum", "batch", "rounds", "sample", "state", "weights", "loss"],
)
def test_what_alters_it(changes: dict[str, Any]) -> None:
    assert _traced(**changes).digest != _traced().digest


def test_digests_do_not_depend_on_the_process() -> None:
    code = (
        "from learner.learners import learner\n"
        "from alpha_build.learner.trace import trace_learner\n"
        "print(trace_learner(learner()).digest.hex())"
    )
    tests = Path(__file__).resolve().parents[1]
    environment = {"PYTHONPATH": f"{tests}:{':'.join(sys.path)}", "PYTHONHASHSEED": "7", "PATH": "/usr/bin"}
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True
    )
    assert found.stdout.strip() == _traced().digest.hex()


@pytest.mark.parametrize("name", LEARNERS)
def test_a_saved_program_comes_back(name: str, tmp_path: Path) -> None:
    traced = trace_learner(LEARNERS[name])
    system = _around(LEARNERS[name])
    save(traced, system, tmp_path / "learner.cbor")
    loaded, around = load(tmp_path / "learner.cbor"), load_system(tmp_path / "learner.cbor")
    assert loaded.digest == learner_digest(loaded) == traced.digest
    assert to_bytes(loaded, around) == to_bytes(traced, system)
    for field in ("name", "members", "topology", "contract", "pairing", "budgets", "frame_bytes", "place"):
        assert getattr(around, field) == getattr(system, field), field
    assert loaded.structure == traced.structure
    for ours, theirs in ((loaded.block, traced.block), (loaded.update, traced.update)):
        sources = [lower(p, "f", target="x86_64", rounding="fused").source for p in (ours, theirs)]
        assert sources[0] == sources[1]


def test_loading_needs_no_jax(tmp_path: Path) -> None:
    save(_traced(), _around(learner()), tmp_path / "learner.cbor")
    code = (
        "import sys, pathlib\n"
        "from alpha_build.learner.saved import load\n"
        "from alpha_build.learner.lower import lower\n"
        "learner = load(pathlib.Path(sys.argv[1]))\n"
        "lower(learner.block, 'block', target='aarch64', rounding='fused')\n"
        "assert 'jax' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "learner.cbor")], check=True)


@pytest.mark.parametrize("damage", ["missing", "cut", "altered", "format"])
def test_a_damaged_saved_program_is_refused(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "learner.cbor"
    data = to_bytes(_traced(), _around(learner()))
    if damage == "cut":
        path.write_bytes(data[:-20])
    elif damage == "altered":
        path.write_bytes(data.replace(Y[:4].tobytes(), Y[1:5].tobytes()))
    elif damage == "format":
        path.write_bytes(b"\xa1\x66format\x09")
    with pytest.raises(LearnerFailure, match=r"learner\.cbor"):
        load(path)
    if damage != "altered":  # the digest is over the learner
        with pytest.raises(LearnerFailure, match=r"learner\.cbor"):
            load_system(path)
