"""How far the compilers are: Ninja's counters, added up."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Lock


class Counters:
    """Adds up Ninja's `[3/14] ...` of trees that build side by side."""

    _COUNTER = re.compile(r"^\[(\d+)/(\d+)\]")

    def __init__(self, on_step: Callable[[int, int], None]) -> None:
        self._on_step = on_step
        self._counters: dict[object, tuple[int, int]] = {}
        self._lock = Lock()

    def line(self, tree: object, line: str) -> None:
        counter = self._COUNTER.match(line)
        if counter is None:
            return
        with self._lock:
            self._counters[tree] = (int(counter[1]), int(counter[2]))
            done, total = map(sum, zip(*self._counters.values(), strict=True))
            self._on_step(done, total)
