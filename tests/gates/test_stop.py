"""Early stop on uneven shares: every owner ends with the round of the reference, then an evaluation."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from alpha_build.build.build import build
from alpha_build.build.checked import checked_system
from alpha_build.build.toolchains import available
from alpha_build.run import run_build
from alpha_build.run.artifacts import find_emulator
from alpha_build.run.reference import Reference
from alpha_build.state.load import states
from alpha_build.system.load import load_system

pytestmark = pytest.mark.gates

SYSTEM = """\
import numpy as np, optax
import alpha_build as ab
rng = np.random.default_rng(0)
x = rng.normal(size=(24, 3)).astype(np.float32)
y = (x @ np.arange(3, dtype=np.float32) + 1).astype(np.float32)
def loss(params, x, y):
    return (x @ params["w"] - y) ** 2
def metric(params, x, y):
    error = (x @ params["w"] - y) ** 2
    return {{"error": error, "nearness": -error}}
system = ab.System(
    name="stop", members={members}, topology=ab.{topology},
    learner=ab.Learner(loss, state={{"w": np.zeros(3, np.float32)}}, optimizer=optax.sgd(0.1),
        samples=(x, y), rounds=500, shares={shares}, stop=ab.Stop({stop}),
        evaluation=ab.Evaluation(metric, samples=(x[:9], y[:9]), every=9)),
    contract=ab.Contract({contract}), pairing={pairing},
    budgets=ab.Budgets(connect=20, accept=20, wait=60, frame=20),
)
"""
EMULATED = find_emulator("aarch64") is not None and available("aarch64")
PAIRING = '{1: ab.Target("aarch64")}' if EMULATED else "{}"
RUNS = {
    "loss": {
        "members": 4, "topology": "Tree(fanout=2)", "stop": '"loss", patience=3', "contract": "",
        "shares": "[10, 5, 0, 9]",
    },
    "more": {
        "members": 3, "topology": "Mesh()", "stop": '"nearness", patience=2, mode="max"',
        "contract": 'order="canonical", block=8', "shares": "[0, 16, 8]",
    },
    "less": {
        "members": 2, "topology": "Pair()", "stop": '"error", patience=1, mode="min"', "contract": "",
        "shares": None,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_everybody_ends_with_the_round_of_the_reference(tmp_path: Path, name: str) -> None:
    pairing = PAIRING if name == "loss" else "{}"
    (tmp_path / "stop.py").write_text(SYSTEM.format(pairing=pairing, **RUNS[name]))
    dist = tmp_path / "dist"
    build(str(tmp_path / "stop.py"), dist)
    outcome = run_build(dist, json=True)
    assert outcome.ok, outcome.as_json()
    checked = checked_system(load_system(str(tmp_path / "stop.py")), dist / "learner.cbor")
    reference = Reference(checked, dist / "build" / "reference")
    *_, before, last = reference.rounds()
    assert 10 < outcome.rounds == last.round < 500
    assert np.float32(outcome.loss) == np.float32(last.loss)
    assert before.metrics is None and last.metrics is not None
    for metric, value in last.metrics.items():
        assert np.float32(outcome.metrics[metric]) == np.float32(value)
    owners = states(dist / "state")
    assert {owner.hash for owner in owners} == {reference.state_hash}
    assert {owner.round for owner in owners} == {last.round}
    rows = [json.loads(line) for line in (dist / "logs" / "rounds.jsonl").read_text().splitlines()]
    rule = checked.learner and checked.learner.stop
    assert rule is not None
    values = [
        row["loss"] if rule.of_loss else row["metrics"][rule.what]
        for row in rows
        if rule.of_loss or row["metrics"]
    ]
    assert _looks(values, rule.patience, max if rule.mode == "max" else min) == len(values)


def _looks(values: list[float], patience: int, better: object) -> int:
    """How many values are looked at: by hand, from the rule's sentence alone."""
    assert callable(better)
    for count in range(1, len(values) + 1):
        first_best = values.index(better(values[:count]))
        if count - 1 - first_best >= patience:
            return count
    return len(values) + 1
