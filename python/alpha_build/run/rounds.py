"""A run's rounds as the root reports them: one row a round, kept in `logs/rounds.jsonl` for programs."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path

from alpha_build.run.lines import Loss, Metric


@dataclass
class Round:
    """Seconds are from the start of the run to the round's loss."""

    round: int
    loss: float | None = None
    metrics: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0

    def as_json(self) -> dict[str, object]:
        """JSON has no infinity and no NaN: they become null."""
        return {
            "round": self.round,
            "loss": finite(self.loss),
            "metrics": {name: finite(value) for name, value in self.metrics.items()},
            "seconds": round(self.seconds, 6),
        }


class RoundsLog:
    """Gathers loss and metric lines into rows; a row is written when the next round's first line arrives."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "w", encoding="utf-8")  # noqa: SIM115 - open as long as the run
        self._open: Round | None = None
        self.count = 0  # rounds whose loss was reported
        self.loss: float | None = None  # the last one
        self.metrics: dict[str, float] = {}  # the last value of each

    def take(self, line: Loss | Metric, seconds: float) -> Round | None:
        """The row that this line completes, if any."""
        done = self.flush() if self._open is None or self._open.round != line.round else None
        if self._open is None:
            self._open = Round(line.round, seconds=seconds)
        if isinstance(line, Loss):
            self._open.loss = self.loss = line.loss
            self._open.seconds = seconds
            self.count += 1
        else:
            self._open.metrics[line.name] = self.metrics[line.name] = line.value
        return done

    def flush(self) -> Round | None:
        done, self._open = self._open, None
        if done is not None:
            self._file.write(json.dumps(done.as_json()) + "\n")
        return done

    def sync(self) -> None:
        """Shows readers of the file what was written so far."""
        self._file.flush()

    def close(self) -> Round | None:
        done = self.flush()
        self._file.close()
        return done


def finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
