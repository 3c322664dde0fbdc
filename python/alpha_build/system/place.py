"""Where in the user's file a value was made: recorded at construction, shown in messages, in no digest."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import FrameType


@dataclass(frozen=True)
class Place:
    """File name without its folder (two folders must build the same bytes), and line from 1."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def user_place() -> Place:
    """The nearest caller outside this package."""
    frame = _user_frame()
    return Place(PurePath(frame.f_code.co_filename).name, frame.f_lineno)


def user_folder() -> Path:
    """The folder of that caller's file; the current one where it has none (a prompt, a notebook)."""
    file = Path(_user_frame().f_code.co_filename)
    return file.absolute().parent if file.is_file() else Path.cwd()


def _user_frame() -> FrameType:
    frame = sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame = frame.f_back
    return frame


def _is_ours(module: str) -> bool:
    return module == "alpha_build" or module.startswith("alpha_build.")
