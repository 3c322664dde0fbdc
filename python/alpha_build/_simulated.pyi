"""
The code of the executables on a simulated kernel; see alpha_build.simulate.
"""

from collections.abc import Sequence


class Simulator:
    """One small system and its machine."""

    def __init__(self, parents: Sequence[int], rounds: int, elements: int, frame_bytes: int, budgets_ns: tuple[int, int, int, int], announced: bool, exchange: bool, canonical: bool, lives: int) -> None: ...

    def seeded(self, seed: int, rough: int, harm: int, harm_count_max: int) -> tuple[list[int], list[int], str, list[tuple[str, int, str, int, int]], list[str], int, int]: ...

    def listed(self, choices: Sequence[int]) -> tuple[list[int], list[int], str, list[tuple[str, int, str, int, int]], list[str], int, int]: ...

    def many(self, first: int, count: int, rough: int, harm: int, harm_count_max: int) -> tuple[int, int, int, list[int], int, int, int, bool, list[tuple[int, list[int], str]]]: ...

    def search(self, departures_max: int, runs_max: int) -> tuple[int, int, int, list[int], int, int, int, bool, list[tuple[int, list[int], str]]]: ...
