"""A CSV file as columns of numbers: separated by commas, UTF-8, a header of names or none."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from ..system.errors import LearnerFailure

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
Row = tuple[int, list[str]]  # the line on which it ends, from 1, and its cells


@dataclass(frozen=True)
class Table:
    """Columns of int64 or float64, the same count of rows each; no names without a header."""

    path: Path
    names: tuple[str, ...] | None
    columns: tuple[np.ndarray, ...]

    def whole(self) -> Any:
        """Every column by its name, or all of them as one array."""
        if self.names is None:
            return _side_by_side(self.columns)
        return dict(zip(self.names, self.columns, strict=True))


def read_table(path: Path, header: int | None) -> Table:
    """The file's columns; `header` lines stand before them, None: one where the first holds no number.

    Raises:
        LearnerFailure: with the line and the column of what is no number.
    """
    rows = list(_rows(path))
    if header is None:
        header = int(bool(rows) and not any(map(_number, rows[0][1])))
    elif not isinstance(header, int) or isinstance(header, bool) or header < 0:
        _refuse(path, f"header={header!r} is no number of lines", "give 0 or more")
    before, rows = rows[:header], rows[header:]
    if not rows:
        _refuse(path, "it holds no row of numbers", "a row a sample, its numbers separated by commas")
    names = tuple(cell.strip() for cell in before[-1][1]) if before else None
    width = len(rows[0][1])
    if names is not None and (len(names) != width or len(set(names)) != width or any(map(_no_name, names))):
        names = None  # what stands before the numbers does not name them
    for line, cells in rows:
        if len(cells) != width:
            _refuse(
                path,
                f"line {line} has {len(cells)} numbers, line {rows[0][0]} has {width}",
                "give every sample as many" if header else "where a header comes first, give header=1",
            )
    columns = tuple(_column(path, index, names, rows) for index in range(width))
    return Table(path, names, columns)


def picked(table: Table, column: Any) -> np.ndarray:
    """One column, or several as one array of (samples, columns)."""
    if isinstance(column, Sequence) and not isinstance(column, str):
        if not column:
            _refuse(table.path, "arrays= asks for no column", "name at least one")
        return _side_by_side([_one(table, each) for each in column])
    return _one(table, column)


def _one(table: Table, column: Any) -> np.ndarray:
    count = len(table.columns)
    if isinstance(column, str):
        if table.names is not None and column in table.names:
            return table.columns[table.names.index(column)]
        held = (
            f"it has {', '.join(table.names[:12])}"
            if table.names
            else "it has no header: give numbers from 0"
        )
        _refuse(table.path, f"there is no column {column!r} in it", held)
    if isinstance(column, bool) or not hasattr(column, "__index__") or not 0 <= int(column) < count:
        _refuse(table.path, f"there is no column {column!r} in it", f"columns are 0 to {count - 1}")
    return table.columns[int(column)]


def _rows(path: Path) -> Iterator[Row]:
    """Rows that are not blank."""
    try:
        with open(path, newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file, skipinitialspace=True)
            for cells in reader:
                if len(cells) > 1 or any(cell.strip() for cell in cells):
                    yield reader.line_num, cells
    except UnicodeDecodeError as error:
        _refuse(path, f"it is not UTF-8: {error.reason}", "save it as a UTF-8 text")
    except csv.Error as error:
        _refuse(path, f"line {reader.line_num}: {error}", "save it as comma-separated text")
    except OSError as error:
        _refuse(path, f"it cannot be read: {error.strerror}", "see its permissions")


def _number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip()) is not None


def _no_name(cell: str) -> bool:
    return not cell or _number(cell)


def _column(path: Path, index: int, names: Sequence[str] | None, rows: list[Row]) -> np.ndarray:
    cells = [row[1][index].strip() for row in rows]
    name = f" ({names[index]})" if names else ""
    for (line, row), cell in zip(rows, cells, strict=True):
        if not _NUMBER.fullmatch(cell):
            _refuse(path, f"line {line}, column {index + 1}{name}: {_said(cell)}", _remedy(row, line))
    if not all(map(_INTEGER.fullmatch, cells)):
        return np.array([float(cell) for cell in cells], np.float64)
    try:
        return np.array([int(cell) for cell in cells], np.int64)
    except OverflowError:
        line = next(row[0] for row, cell in zip(rows, cells, strict=True) if abs(int(cell)) >= 2**63)
        _refuse(path, f"line {line}, column {index + 1}{name}: an integer of over 64 bits", "write 1e30")


def _said(cell: str) -> str:
    if not cell:
        return "the number is missing"
    return f"{cell[:40]!r} is no finite number"


def _remedy(row: list[str], line: int) -> str:
    if len(row) == 1 and any(mark in row[0] for mark in ";\t|"):
        return "separate numbers by commas"
    if line == 1:
        return "where lines before the numbers name them, give header=1"
    return "a class is written as a number from 0; fill or remove what is missing"


def _side_by_side(columns: Sequence[np.ndarray]) -> np.ndarray:
    return np.stack(columns, axis=1)


def _refuse(path: Path, message: str, hint: str) -> NoReturn:
    raise LearnerFailure(f"file {path.name}: {message}", kind="sample-file", hint=hint)
