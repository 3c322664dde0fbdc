"""What a role embeds of a learner's data, and what each batch is divided by."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from alpha_build.build.samples import denominators, learner_stamp
from alpha_build.build.stamps import budget_stamp, role_stamp
from alpha_build.projector.check import check
from alpha_build.projector.project import project
from alpha_build.system.contract import Budgets, Contract
from check.learner_program import learner_program, learner_system


def _learner(**fields: int):  # type: ignore[no-untyped-def]
    learner = learner_program(**fields)
    count = len(learner.samples[0])
    rows = np.arange(count, dtype=np.float32)
    return dataclasses.replace(learner, samples=(np.stack([rows, -rows], 1), rows.astype(np.int32)))


def test_rows_of_every_slice_batch_after_batch() -> None:
    """Batches of 4, 4 and 2 samples: the slice [1, 3) of full ones, [0, 1) of the short one."""
    stamp = learner_stamp(_learner(samples=10, batch=4), bytes(32), "f", (1, 3), (0, 1), (2, 5))
    first, second = stamp.samples
    assert np.frombuffer(second, np.int32).tolist() == [1, 2, 5, 6, 8]
    assert np.frombuffer(first, np.float32).reshape(-1, 2).tolist() == [[n, -n] for n in (1, 2, 5, 6, 8)]
    assert len(stamp.evaluation[0]) == 3 * 12


def test_last_batch_may_be_full() -> None:
    stamp = learner_stamp(_learner(samples=8, batch=4), bytes(32), "f", (1, 3), (0, 0), (0, 0))
    assert np.frombuffer(stamp.samples[1], np.int32).tolist() == [1, 2, 5, 6]


def test_beside_the_executable_as_asked_or_by_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every element lies at a multiple of its size, whatever the order of the arrays."""
    rows = np.arange(10)
    learner = dataclasses.replace(
        _learner(samples=10, batch=4),
        samples=(rows.astype(np.uint8), rows.astype(np.float64), rows.astype(np.int16), rows[:, None] > 3),
        evaluation_samples=(np.ones((3, 5), np.float32),),
        embed=(False, None),
    )
    stamp = learner_stamp(learner, bytes(32), "f", (1, 4), (0, 2), (0, 3))
    assert stamp.samples == () and len(stamp.evaluation[0]) == 60
    assert stamp.file is not None and stamp.file.name == "f" and stamp.file.evaluation is None
    expected = rows[[1, 2, 3, 5, 6, 7, 8, 9]]
    for array, offset in zip(learner.samples, stamp.file.samples or (), strict=True):
        assert offset % array.itemsize == 0
        read = np.frombuffer(stamp.file.data, array.dtype, len(expected), offset)
        np.testing.assert_array_equal(read, array.reshape(10)[expected])
    monkeypatch.setattr("alpha_build.build.samples.SAMPLES_EMBEDDED_BYTES", 59)
    large = learner_stamp(learner, bytes(32), "f", (1, 4), (0, 2), (0, 3))
    assert large.file is not None and large.file.evaluation is not None and large.evaluation == ()
    embedded = dataclasses.replace(learner, embed=(True, True))
    assert learner_stamp(embedded, bytes(32), "f", (1, 4), (0, 2), (0, 3)).file is None
    assert learner_stamp(learner, bytes(32), "f", (4, 4), (2, 2), (3, 3)).file is None  # nothing to hold


def test_only_batches_that_rounds_use() -> None:
    stamp = learner_stamp(_learner(samples=10, batch=4, rounds=2), bytes(32), "f", (0, 4), (0, 2), (0, 0))
    assert np.frombuffer(stamp.samples[1], np.int32).tolist() == list(range(8))


def test_members_together_hold_each_sample_once() -> None:
    for order in ("tree", "canonical"):
        learner = _learner(samples=100, batch=64, rounds=10)
        checked = check(learner_system(5, contract=Contract(order=order)), learner)  # type: ignore[arg-type]
        held = []
        for role in range(5):
            embedded = role_stamp(checked, project(checked, role)[1]).learner
            assert embedded is not None
            held += np.frombuffer(embedded.samples[1], np.int32).tolist()
        assert sorted(held) == list(range(100))


def test_denominators() -> None:
    learner = _learner(samples=10, batch=4)
    assert denominators(learner) == (4.0, 4.0, 2.0)
    weights = np.array([2**53, 1, 1, 0, *[0.5] * 6], np.float32)  # in sequence the ones would be lost
    weighted = dataclasses.replace(learner, samples=(*learner.samples, weights), weighted=True)
    assert denominators(weighted) == (2**53 + 2, 2.0, 1.0)


def test_protocol_divides_by_members() -> None:
    from alpha_build.system.load import load_system
    from emit.sources import EXAMPLES

    checked = check(load_system(str(EXAMPLES / "star.py")))
    stamp = role_stamp(checked, project(checked, 2)[1])
    assert stamp.batches.denominators == (3.0,)
    assert stamp.learner is None
    assert [(edge.peer, edge.listen_port, edge.dial_port) for edge in stamp.edges] == [(0, 0, 0)]


def test_budgets_in_nanoseconds() -> None:
    assert dataclasses.astuple(budget_stamp(Budgets(1, 0.5, 1e-12, 2))) == (10**9, 5 * 10**8, 1, 2 * 10**9, 0)
    assert budget_stamp(Budgets(session=3)).session == 3 * 10**9
