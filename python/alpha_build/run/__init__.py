"""Runs all roles of a build on this machine, in role order, and says what came of it."""

from __future__ import annotations

from pathlib import Path

from alpha_build.run.artifacts import read_build, verify
from alpha_build.run.display import make_display
from alpha_build.run.flight import LOG as FLIGHT_LOG
from alpha_build.run.flight import merged, write_flight
from alpha_build.run.interrupts import Interrupts
from alpha_build.run.launch import Launcher
from alpha_build.run.outcome import Outcome
from alpha_build.system.errors import AlphaError

__all__ = ["Interrupts", "Outcome", "run_build"]


def run_build(
    folder: Path,
    state: Path | None = None,
    *,
    json: bool = False,
    interrupts: Interrupts | None = None,
    flight: bool = False,
) -> Outcome:
    """Runs the build in `folder`; state goes to `state` (default `folder/state`), logs to `folder/logs`.

    With `flight`, roles that fail print their flight records; `folder/logs/flight.log` holds all, by time.
    Shows progress on standard output unless `json`.  Returns when no process of the run is left, and after
    an interruption too: the outcome says so.
    Raises AlphaError when the run cannot begin: no build, altered executables, no emulator.
    """
    build = read_build(folder)
    verify(build)
    state = (state or folder / "state").absolute()
    logs = folder / "logs"
    if build.learns:
        _make_folder(state, "state", "choose another with --state")
    _make_folder(logs, "logs", "copy the build to a folder of yours")
    with make_display(build.name, len(build.artifacts), learns=build.learns, json=json) as display:
        outcome = Launcher(build, state, logs, display, interrupts or Interrupts(), flight=flight).run()
    if flight:
        write_flight(merged(outcome.ends), logs / FLIGHT_LOG)
    return outcome


def _make_folder(folder: Path, what: str, hint: str) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".probe"
        probe.touch()
        probe.unlink()
        if what == "logs":
            for old in folder.glob("role-*.log"):
                old.unlink()
    except OSError as error:
        raise AlphaError(
            f"the folder for {what} cannot be written: {error.strerror}",
            kind="folder",
            where=str(folder),
            hint=hint,
        ) from None
