"""Reference mode: one process is every member, in the declared order, whatever their number."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import alpha_build as ab
from alpha_build.build.build import SAVED_LEARNER
from alpha_build.build.checked import checked_system
from alpha_build.learner.saved import save
from alpha_build.run.reference import Reference, run_reference
from alpha_build.system.errors import LearnerFailure
from learner.learners import LABELS, LEARNERS, X, Y, label_loss, learner

pytestmark = pytest.mark.native
_EVALUATED = LEARNERS["labels_adam"]


def system(members: int = 1, order: Any = "tree", rounding: Any = "fused", **changes: Any) -> ab.System:
    fields: dict[str, Any] = {
        "name": "small",
        "members": members,
        "topology": ab.Tree(fanout=2),
        "learner": replace(_EVALUATED, batch=90, rounds=7),
        "contract": ab.Contract(order=order, rounding=rounding, block=8 if order == "canonical" else None),
    }
    return ab.System(**fields | changes)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reference")


def final(of: ab.System, folder: Path) -> str:
    reference = Reference(checked_system(of), folder)
    assert len(list(reference.rounds())) == 7
    return reference.state_hash


def test_canonical_bits_do_not_depend_on_the_members(folder: Path) -> None:
    hashes = {final(system(n, "canonical"), folder) for n in (1, 2, 3, 5, 8)}
    hashes.add(final(system(4, "canonical", topology=ab.Star()), folder))
    assert len(hashes) == 1


def test_tree_bits_depend_on_members_topology_and_rounding(folder: Path) -> None:
    systems = [system(1), system(2), system(5), system(5, topology=ab.Star()), system(5, rounding="separate")]
    assert len({final(each, folder) for each in systems}) == len(systems)
    assert final(system(5), folder) == final(system(5), folder)


def test_training_lowers_the_loss_and_evaluates_when_due(folder: Path) -> None:
    reference = Reference(checked_system(system(3)), folder)
    rounds = list(reference.rounds())
    assert [each.round for each in rounds if each.metrics] == [2, 4, 6, 7]
    assert rounds[5].loss < rounds[0].loss  # the first batch again
    assert {name for name, _ in reference.tensors} == {leaf.name for leaf in reference.learner.state}
    assert rounds[-1].metrics is not None
    assert 0 < rounds[-1].metrics["accuracy"] < 1


def test_the_first_loss_is_the_mean_over_the_batch(folder: Path) -> None:
    import jax

    first = next(Reference(checked_system(system(4)), folder).rounds())
    x, y = _EVALUATED.samples
    losses = jax.vmap(label_loss, (None, 0, 0))(LABELS, x[:90], y[:90])
    assert first.loss == pytest.approx(float(np.mean(losses)), rel=1e-6)


def test_weights_divide_by_their_sum(folder: Path) -> None:
    weights = np.linspace(0, 2, len(X), dtype=np.float32)
    weighted = system(3, learner=learner(weights=weights, batch=90))
    first = next(Reference(checked_system(weighted), folder).rounds())
    assert first.loss == pytest.approx(float(np.average(Y[:90] ** 2, weights=weights[:90])), rel=1e-5)


def test_the_saved_program_gives_the_same_state(tmp_path: Path, folder: Path) -> None:
    traced = checked_system(system(3))
    assert traced.learner is not None
    save(traced.learner, traced.system, tmp_path / SAVED_LEARNER)
    assert run_reference(system(3), tmp_path) == final(system(3), folder)


def test_what_is_not_finite_is_refused(folder: Path) -> None:
    import optax

    wild = system(2, learner=learner(optimizer=optax.sgd(1e30), rounds=7))
    with pytest.raises(LearnerFailure, match="element") as caught:
        list(Reference(checked_system(wild), folder).rounds())
    assert caught.value.kind == "nonfinite"
