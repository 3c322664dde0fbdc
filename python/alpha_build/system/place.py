"""Where in the user's file a value was made: recorded at construction, shown in messages, in no digest."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True)
class Place:
    """File name without its folder (two folders must build the same bytes), and line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def user_place() -> Place:
    """The nearest caller outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return Place(PurePath(frame.f_code.co_filename).name, frame.f_lineno)


def _is_ours(module: str) -> bool:
    return module == "alpha_build" or module.startswith("alpha_build.")
