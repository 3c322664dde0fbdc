"""The user's rule of stopping early, checked against the metrics that there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..system.errors import LearnerFailure
from ..system.learner import Stop
from .program import LOSS, StopRule


def stop_rule(stop: Any, metrics: tuple[str, ...]) -> StopRule | None:
    """The rule with its defaults filled in.

    Raises:
        LearnerFailure: it names nothing that is measured, or does not say which way is better.
    """
    if stop is None:
        return None
    if not isinstance(stop, Stop):
        raise _failure(None, f"stop={stop!r} is no rule of stopping", 'use ab.Stop("loss", patience=5)')
    named = [LOSS, *metrics]
    if stop.what not in named:
        hint = (
            "it may be " + ", ".join(map(repr, named)) + ("" if metrics else "; a metric needs evaluation=")
        )
        raise _failure(stop, f"nothing that is measured is called {stop.what!r}", hint)
    if stop.what == LOSS and LOSS in metrics:
        hint = "rename the metric: its name is also the training loss's"
        raise _failure(stop, "'loss' may be the training loss or the metric of that name", hint)
    patience = stop.patience
    if isinstance(patience, bool) or not isinstance(patience, (int, np.integer)) or patience < 1:
        raise _failure(stop, f"patience={patience!r}", "give an integer of at least 1")
    mode = "min" if stop.mode is None and stop.what == LOSS else stop.mode
    if mode not in ("min", "max"):
        said = "" if mode is None else f", which mode={mode!r} does not say"
        hint = 'add mode="max" where more is better (accuracy), mode="min" where less is (an error)'
        raise _failure(stop, f"which way metric {stop.what!r} gets better has to be said{said}", hint)
    return StopRule(stop.what, int(patience), mode)


def _failure(stop: Stop | None, message: str, hint: str) -> LearnerFailure:
    where = None if stop is None else f"{stop.place} stop"
    return LearnerFailure(message, kind="stop", where=where, hint=hint)
