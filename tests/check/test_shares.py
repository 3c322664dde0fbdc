"""Who holds which samples: against listed cuts, declared shares, idle members."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from learner_program import learner_program, learner_system

import alpha_build as ab
from alpha_build.projector.check import check
from alpha_build.projector.check.contract import default_block
from alpha_build.projector.check.shares import BatchCut

CANONICAL = ab.Contract(order="canonical", block=8)


@given(st.integers(1, 200), st.integers(1, 40))
def test_tree_slices_differ_by_at_most_one_larger_first(samples: int, members: int) -> None:
    cut = BatchCut(samples, members)
    listed = [len(part) for part in np.array_split(np.arange(samples), members)]
    assert [cut.sample_bound(m + 1) - cut.sample_bound(m) for m in range(members)] == listed
    assert (cut.sample_bound(0), cut.sample_bound(members)) == (0, samples)
    assert cut.block_bound(members) == cut.block_count == 0
    assert cut.idle_count == listed.count(0)


@given(st.integers(1, 200), st.integers(1, 40), st.integers(1, 20))
def test_canonical_slices_are_whole_blocks(samples: int, members: int, block: int) -> None:
    cut = BatchCut(samples, members, block)
    blocks = [samples // block + (samples % block > 0)][0]
    assert cut.block_count == blocks
    for m in range(members):
        low, high = m * blocks // members, (m + 1) * blocks // members
        assert (cut.block_bound(m), cut.block_bound(m + 1)) == (low, high)
        assert cut.sample_bound(m) == min(low * block, samples)
        assert cut.sample_bound(m + 1) == min(high * block, samples)
    assert cut.idle_count == sum(cut.block_bound(m) == cut.block_bound(m + 1) for m in range(members))


def test_default_block_is_the_smallest_power_of_two_not_under_its_bound() -> None:
    for batch in (1, 32, 2048, 2049, 4096, 4097, 100_000):
        bound = max(32, batch / 64)
        block = default_block(batch)
        assert block >= bound
        assert block / 2 < bound
        assert block & (block - 1) == 0


def test_declared_shares_are_taken_of_full_and_short_batches() -> None:
    cuts = check(learner_system(shares=[16, 0, 8, 8], contract=CANONICAL), learner_program()).cuts
    assert cuts is not None
    full, short, evaluation = cuts
    assert [full.sample_bound(m) for m in range(5)] == [0, 16, 16, 24, 32]
    assert [full.block_bound(m) for m in range(5)] == [0, 2, 2, 3, 4]
    assert [short.sample_bound(m) for m in range(5)] == [0, 4, 4, 4, 4]
    assert [short.block_bound(m) for m in range(5)] == [0, 1, 1, 1, 1]
    assert [evaluation.block_bound(m) for m in range(5)] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("kind", "shares"),
    [
        ("shares", [16, -1, 9, 8]),
        ("shares", [16, 8.0, 4, 4]),
        ("shares-length", [16, 16]),
        ("shares-sum", [8, 8, 8, 7]),
        ("share-cuts-block", [8, 4, 12, 8]),
    ],
)
def test_shares_that_cannot_be(kind: str, shares: list[int]) -> None:
    with pytest.raises(ab.ContractFailure) as failed:
        check(learner_system(shares=shares, contract=CANONICAL), learner_program())
    assert failed.value.kind == kind
    assert failed.value.hint


def test_shares_may_cut_anywhere_under_tree() -> None:
    cuts = check(learner_system(shares=[8, 4, 12, 8]), learner_program()).cuts
    assert cuts is not None
    assert cuts[0].sample_bound(2) == 12


@pytest.mark.parametrize(
    ("members", "contract", "said"),
    [
        (
            40,
            ab.Contract(),
            "8 of 40 members are idle in every full round (batch of 32); use a batch of 40 or more",
        ),
        (
            5,
            CANONICAL,
            "1 of 5 members are idle in every full round (batch of 32 in 4 blocks of 8); use block=4",
        ),
        (4, ab.Contract(order="canonical"), "use block=8, or a batch of 97 or more with block=32"),
    ],
)
def test_an_idle_member_is_a_warning_with_a_remedy(members: int, contract: ab.Contract, said: str) -> None:
    (warning,) = check(learner_system(members, contract=contract), learner_program()).warnings
    assert said in warning
    assert warning.startswith("learner_program.py:")


def test_the_remedy_of_an_idle_member_helps() -> None:
    assert (
        check(learner_system(5, contract=ab.Contract(order="canonical", block=4)), learner_program()).warnings
        == ()
    )
    program = learner_program(samples=200, batch=97)
    assert check(learner_system(4, contract=ab.Contract(order="canonical", block=32)), program).warnings == ()


def test_an_idle_share_is_a_warning() -> None:
    (warning,) = check(learner_system(shares=[32, 0, 0, 0]), learner_program()).warnings
    assert "3 of 4 members are idle" in warning
