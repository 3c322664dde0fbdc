"""Reference mode: a whole run computed by this one process, with the kernels and combines of executables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alpha_build import combine, frame
from alpha_build.build.checked import checked_system
from alpha_build.build.manifest import SAVED_LEARNER
from alpha_build.build.reference import Kernel, compile_kernels
from alpha_build.build.samples import batch_count, denominators
from alpha_build.learner.program import LOSS, LearnerProgram
from alpha_build.projector.check import Checked
from alpha_build.projector.check.contract import mesh_fanout
from alpha_build.projector.check.shares import BatchCut
from alpha_build.projector.emit.learner import state_hash_pieces
from alpha_build.run.stopping import Stopping
from alpha_build.system.errors import LearnerFailure
from alpha_build.system.system import System


@dataclass(frozen=True)
class ReferenceRound:
    """`round` counts from 1; the loss is before the round's update, metrics are after it."""

    round: int
    loss: float
    metrics: dict[str, float] | None


def run_reference(system: System, out: Path) -> str:
    """State hash, hexadecimal, of a system that was built in `out`, trained by this process alone.

    Takes the learner that the build saved, so nothing is traced; compiles in `out`/build/reference.
    """
    reference = Reference(checked_system(system, out / SAVED_LEARNER), out / "build" / "reference")
    for _ in reference.rounds():
        pass
    return reference.state_hash


class Reference:
    """One learner run: iterate over `rounds`, then read `state`."""

    def __init__(self, checked: Checked, folder: Path) -> None:
        """Compiles the kernels in `folder`; raises what `compile_kernels` raises."""
        assert checked.learner is not None, "a protocol of one's own has no reference"
        assert checked.cuts is not None
        self.checked = checked
        self.learner: LearnerProgram = checked.learner
        self.kernels = compile_kernels(self.learner, checked.facts.contract.rounding, folder)
        self.state = [leaf.array.copy() for leaf in self.learner.state]

    @property
    def tensors(self) -> list[tuple[str, np.ndarray]]:
        """The state as it is now, by name."""
        return [(leaf.name, array) for leaf, array in zip(self.learner.state, self.state, strict=True)]

    @property
    def state_hash(self) -> str:
        """What every owner of the same run prints when it is complete."""
        order = sorted(range(len(self.state)), key=lambda i: self.learner.state[i].name)
        *heads, end = state_hash_pieces([self.learner.state[i] for i in order])
        whole = hashlib.sha256()
        for head, i in zip(heads, order, strict=True):
            whole.update(head + frame.payload_digest(np.ascontiguousarray(self.state[i]).tobytes()))
        whole.update(end)
        return whole.hexdigest()

    def rounds(self) -> Iterator[ReferenceRound]:
        """Runs round after round.

        Raises:
            LearnerFailure: a contribution or result is not finite, and the contract refuses that.
        """
        learner = self.learner
        divisors, stop = denominators(learner), Stopping(learner.stop)
        for number in range(learner.rounds):
            batch = number % batch_count(learner)
            total = self._gradient(number, batch, divisors[batch])
            self._update(total)
            values = {LOSS: float(total[0])}
            last = number + 1 == learner.rounds or stop.ends(values)
            due = learner.every and ((number + 1) % learner.every == 0 or last)
            metrics = self._evaluate() if due else None
            yield ReferenceRound(number + 1, values[LOSS], metrics)
            if last or stop.ends(metrics or {}):
                return

    # ---- one round ---------------------------------------------------------------------------

    @property
    def _parameters(self) -> list[np.ndarray]:
        return self.state[: self.learner.parameters]

    def _gradient(self, number: int, batch: int, denominator: float) -> np.ndarray:
        """Loss and gradient of round `number`'s batch, combined and divided: element 0, then the leaves."""
        learner, cuts = self.learner, self.checked.cuts
        assert cuts is not None
        begin = batch * learner.batch
        arrays = [array[begin : begin + learner.batch] for array in learner.samples]
        cut = cuts[0] if len(arrays[0]) == learner.batch else cuts[1]
        mean = self.checked.facts.contract.normalization == "mean"
        words = (number,) if learner.keyed else ()
        return self._combined(self.kernels.block, arrays, cut, denominator if mean else None, words)

    def _update(self, total: np.ndarray) -> None:
        gradient, offset = [], 1
        for parameter in self._parameters:
            gradient.append(total[offset : offset + parameter.size].reshape(parameter.shape))
            offset += parameter.size
        self.state = self.kernels.update(0, [*self.state, *gradient, total[0].reshape(())])

    def _evaluate(self) -> dict[str, float]:
        learner, cuts = self.learner, self.checked.cuts
        assert self.kernels.metric is not None
        assert cuts is not None
        samples = list(learner.evaluation_samples)
        means = self._combined(self.kernels.metric, samples, cuts[2], float(cuts[2].samples))
        return {name: float(value) for name, value in zip(learner.metric_names, means, strict=True)}

    @property
    def _fanout(self) -> int:
        tree, contract = self.checked.shape.tree, self.checked.facts.contract
        if tree is None or contract.order == "sequence":
            return mesh_fanout(contract, len(self.checked.group))
        return max(1, tree.fanout)

    # ---- combine -----------------------------------------------------------------------------

    def _combined(
        self,
        kernel: Kernel,
        arrays: list[np.ndarray],
        cut: BatchCut,
        denominator: float | None,
        words: tuple[int, ...] = (),
    ) -> np.ndarray:
        """`words`: the round, where the kernel makes random keys of it."""
        if cut.block:
            bounds = [(i * cut.block, min((i + 1) * cut.block, cut.samples)) for i in range(cut.block_count)]
        else:
            bounds = [(cut.sample_bound(m), cut.sample_bound(m + 1)) for m in range(cut.members)]
        values = [self._contribution(kernel, arrays, begin, end, words) for begin, end in bounds]
        result: Any
        if cut.block:
            result = combine.canonical(values, denominator=denominator)
        else:
            result = combine.tree(values, fanout=self._fanout, denominator=denominator)
        return self._finite(result, "the result")

    def _contribution(
        self, kernel: Kernel, arrays: list[np.ndarray], begin: int, end: int, words: tuple[int, ...]
    ) -> np.ndarray | None:
        """One slice's or block's sums as one region; nothing for no samples."""
        if begin == end:
            return None
        given = [array[begin:end] for array in arrays]
        if words:
            given += [np.asarray(word, np.uint32) for word in (*words, begin)]
        outputs = kernel(end - begin, [*self._parameters, *given])
        return self._finite(np.concatenate([output.reshape(-1) for output in outputs]), "a contribution")

    def _finite(self, values: np.ndarray, what: str) -> np.ndarray:
        if self.checked.facts.contract.nonfinite == "refuse" and not np.isfinite(values).all():
            element = int(np.flatnonzero(~np.isfinite(values))[0])
            raise LearnerFailure(
                f"element {element} of {what} is {values[element]}",
                kind="nonfinite",
                hint="lower the learning rate, or contract nonfinite='propagate'",
            )
        return values
