"""From a System to a checked one: its learner traced or read, every failure of both kept."""

from __future__ import annotations

from pathlib import Path

from alpha_build.learner.program import LearnerProgram
from alpha_build.projector.check import Checked, check, failures
from alpha_build.system.errors import AlphaError, SystemFailure, raise_failures
from alpha_build.system.learner import Learner
from alpha_build.system.system import System


def checked_system(system: System, program: Path | str | None = None) -> Checked:
    """The system once every check has passed; `program` is a learner.cbor to take in place of tracing.

    Raises:
        AlphaError: the first failure, which carries all others that were found.
    """
    if system.learner is None and program is None:
        return check(system)
    found = list(failures(system))
    learner = None
    if system.learner is None:
        message = "a saved program is given, and the system has no learner"
        found.append(
            SystemFailure(message, kind="no-learner", where=str(program), hint="leave --program out")
        )
    elif isinstance(system.learner, Learner):
        try:
            learner = _program(system.learner, system.contract.element, program)
        except AlphaError as error:
            found += error.failures
    if found or learner is None:
        raise_failures(found)
    return check(system, learner)


def _program(learner: Learner, element: str | None, program: Path | str | None) -> LearnerProgram:
    if program is not None:
        from alpha_build.learner.saved import load

        return load(Path(program))
    from alpha_build.learner.trace import trace_learner

    try:
        return trace_learner(learner, element)
    except AlphaError as error:
        for failure in error.failures:  # one that knows no line of the user's own is said of the learner
            failure.where = failure.where or f"{learner.place} learner"
        raise
