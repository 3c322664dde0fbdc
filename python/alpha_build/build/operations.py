"""A system's operations as emission takes them, with the lines on which their sources stand."""

from __future__ import annotations

from collections.abc import Sequence

from alpha_build.projector.emit.operations import OperationSource
from alpha_build.system.region import Operation


def operation_source(operation: Operation, lines: Sequence[str]) -> OperationSource:
    """`lines` is the user's file; where a source is not found in it, its lines are those of the operation."""
    place = operation.place
    return OperationSource(
        name=operation.name,
        reads=operation.reads,
        writes=operation.writes,
        cpp=operation.cpp or "",
        preamble=operation.preamble,
        parts=operation.parts,
        file=place.file,
        place_line=place.line,
        line=_line(operation.cpp or "", lines, place.line),
        preamble_line=_line(operation.preamble, lines, place.line),
    )


def _line(source: str, lines: Sequence[str], start: int) -> int:
    """Line of a source's first line: the first at or after `start` that holds its first words."""
    pieces = source.splitlines()
    filled = next((index for index, piece in enumerate(pieces) if piece.strip()), 0)
    words = pieces[filled].strip() if pieces else ""
    for number, line in enumerate(lines[start - 1 :], start):
        if words and words in line:
            return max(1, number - filled)
    return start
