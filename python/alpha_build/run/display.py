"""What a person sees while a run goes: a live table on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from alpha_build.run.rounds import Round

if TYPE_CHECKING:
    from rich.table import Table

LINE_EVERY_S = 2.0
ROWS = 12


class Silent:
    """For programs: nothing is shown."""

    def __enter__(self) -> Silent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    def row(self, row: Round) -> None:
        pass

    def note(self, text: str) -> None:
        pass


class Lines(Silent):
    """One line at the first round, then every few seconds, and the last round at the end."""

    def __init__(self) -> None:
        self._shown_s = float("-inf")
        self._held: Round | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._held is not None:
            self._print(self._held)

    def row(self, row: Round) -> None:
        self._held = row
        if time.monotonic() - self._shown_s >= LINE_EVERY_S:
            self._print(row)

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    def _print(self, row: Round) -> None:
        self._shown_s, self._held = time.monotonic(), None
        print(
            "  ".join([f"round {row.round}", *(f"{name} {value}" for name, value in _cells(row))]), flush=True
        )


class LiveTable(Silent):
    """The last rounds of note, redrawn in place."""

    def __init__(self, name: str, roles: int) -> None:
        from rich.console import Console
        from rich.live import Live

        self._title = f"{name}, {roles} role{'s' if roles > 1 else ''}"
        self._rows: list[Round] = []
        self._live = Live(
            console=Console(), get_renderable=self._table, refresh_per_second=8, transient=False
        )

    def __enter__(self) -> LiveTable:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def row(self, row: Round) -> None:
        # Rounds with metrics stay in sight; of those without, only the newest where there are metrics at all.
        if any(old.metrics for old in self._rows):
            self._rows = [old for old in self._rows if old.metrics]
        self._rows = [*self._rows, row][-ROWS:]

    def note(self, text: str) -> None:
        self._live.console.print(text, markup=False, highlight=False)

    def _table(self) -> Table:
        from rich.table import Table
        from rich.text import Text

        rows = list(self._rows)
        names = list(dict.fromkeys(name for row in rows for name, _ in _cells(row)))
        table = Table(title=Text(self._title), title_justify="left")
        for name in ["round", *names]:
            table.add_column(Text(name), justify="right", min_width=9)
        for row in rows:
            cells = dict(_cells(row))
            table.add_row(str(row.round), *(Text(cells.get(name, "")) for name in names))
        return table


def make_display(name: str, roles: int, *, learns: bool, json: bool) -> Silent:
    if json:
        return Silent()
    return LiveTable(name, roles) if learns and sys.stdout.isatty() else Lines()


def _cells(row: Round) -> list[tuple[str, str]]:
    loss = [("loss", f"{row.loss:.6g}")] if row.loss is not None else []
    return [
        *loss,
        *((name, f"{value:.6g}") for name, value in row.metrics.items()),
        ("seconds", f"{row.seconds:.1f}"),
    ]
