"""Whether a run ends before its last round, as the root of the executables decides it."""

from __future__ import annotations

from collections.abc import Mapping

from alpha_build.learner.program import StopRule


class Stopping:
    """Looks at one measured value after another; without a rule a run never ends early."""

    def __init__(self, rule: StopRule | None) -> None:
        self._rule = rule
        self._best: float | None = None
        self._since_best = 0

    def ends(self, values: Mapping[str, float]) -> bool:
        """True once the rule's value was not better `patience` times in a row; others are passed over."""
        if self._rule is None or self._rule.what not in values:
            return False
        value = values[self._rule.what]
        if self._is_better(value, self._rule.mode):
            self._best, self._since_best = value, 0
        else:
            self._since_best += 1
        return self._since_best >= self._rule.patience

    def _is_better(self, value: float, mode: str) -> bool:
        """A NaN compares with nothing, so it is never better."""
        if self._best is None:
            return value == value
        return value > self._best if mode == "max" else value < self._best
