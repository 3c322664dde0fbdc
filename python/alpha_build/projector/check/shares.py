"""Which samples of a batch each member holds, by formula: bounds are cut, never listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import fsum
from typing import Any

from ...learner.program import LearnerProgram
from ...system.errors import AlphaError, ContractFailure
from .numbers import whole


@dataclass(frozen=True)
class BatchCut:
    """One kind of batch over `members` positions; `block` is 0 unless the order is canonical."""

    samples: int
    members: int
    block: int = 0
    declared: tuple[int, ...] | None = None  # sample bounds 0, ..., of a full batch, from `shares=`

    @property
    def block_count(self) -> int:
        """K, the blocks of the batch; 0 unless the order is canonical."""
        return -(-self.samples // self.block) if self.block else 0

    def block_bound(self, position: int) -> int:
        """First block of a position (0 <= position <= members)."""
        if self.block == 0:
            return 0
        if self.declared is not None:
            return -(-self.sample_bound(position) // self.block)
        return position * self.block_count // self.members

    def sample_bound(self, position: int) -> int:
        """First sample of a position (0 <= position <= members)."""
        if self.declared is not None:
            return min(self.declared[position], self.samples)
        if self.block:
            return min(self.block_bound(position) * self.block, self.samples)
        size, larger = divmod(self.samples, self.members)
        return position * size + min(position, larger)

    @property
    def rows_max(self) -> int:
        """Most samples with which a program is called: a block, or the largest member's share."""
        if self.declared is not None:
            largest = max(high - low for low, high in pairwise(min(at, self.samples) for at in self.declared))
            return min(largest, self.block or largest)
        return min(self.block, self.samples) if self.block else -(-self.samples // self.members)

    @property
    def idle_count(self) -> int:
        """Members without a sample."""
        if self.declared is not None:
            return sum(low == high for low, high in pairwise(self.declared))
        return max(0, self.members - (self.block_count if self.block else self.samples))


def declared_bounds(
    shares: Sequence[Any], members: int, batch: int, block: int, where: str, found: list[AlphaError]
) -> tuple[int, ...] | None:
    """Sample bounds from `shares=`, one number of samples of a full batch for each member."""
    counts = [whole(share) for share in shares]
    if any(count is None or count < 0 for count in counts):
        found.append(
            _failure("shares", where, f"shares={shares!r}", "give whole numbers of samples, 0 or more")
        )
        return None
    if len(counts) != members:
        message = f"shares= has {len(counts)} numbers for {members} members"
        found.append(_failure("shares-length", where, message, "give one for each member, in order"))
        return None
    bounds = tuple(accumulate((count for count in counts if count is not None), initial=0))
    if bounds[-1] != batch:
        message = f"shares= add up to {bounds[-1]} samples, the batch has {batch}"
        found.append(_failure("shares-sum", where, message, "give numbers that add up to the batch"))
        return None
    if block:
        for position, bound in enumerate(bounds[1:-1]):
            if bound % block and bound != batch:
                message = f"the share of member {position} ends at sample {bound}, inside a block of {block}"
                hint = f"use multiples of {block}, or another block="
                found.append(_failure("share-cuts-block", where, message, hint))
    return bounds


def check_weights(learner: LearnerProgram, where: str, found: list[AlphaError]) -> None:
    """A mean divides by the sum of a batch's weights, which must not be nothing."""
    weights, size = learner.samples[-1], learner.batch
    for start in range(0, min(len(weights), learner.rounds * size), size):
        if fsum(weights[start : start + size].tolist()) == 0:
            last = min(start + size, len(weights)) - 1
            message = (
                f"the weights of samples {start} to {last}, a batch, add up to 0: its mean divides by that"
            )
            hint = 'give one of them a weight, shuffle=, or use normalization="sum"'
            found.append(_failure("weights-sum", where, message, hint))
            return


def idle_warning(cut: BatchCut, where: str) -> str | None:
    """One line when members have nothing to do in every full round, with what would help."""
    idle = cut.idle_count
    if idle == 0:
        return None
    if cut.declared is not None:
        remedy = "give each a share, or use fewer members"
    elif cut.samples < cut.members:
        remedy = f"use a batch of {cut.members} or more, or at most {cut.samples} members"
    else:
        block = 1 << ((cut.samples // cut.members).bit_length() - 1)
        batch = (cut.members - 1) * cut.block + 1
        remedy = f"use block={block}, or a batch of {batch} or more with block={cut.block}"
    cut_into = f" in {cut.block_count} blocks of {cut.block}" if cut.block else ""
    return (
        f"{where}: {idle} of {cut.members} members are idle in every full round "
        f"(batch of {cut.samples}{cut_into}); {remedy}"
    )


def _failure(kind: str, where: str, message: str, hint: str) -> ContractFailure:
    return ContractFailure(message, kind=kind, where=where, hint=hint)
