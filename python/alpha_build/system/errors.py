"""The one exception family: each failure has a kind, a place and a remedy, and reads as one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn


class AlphaError(Exception):
    """Base of all failures that a user can cause or meet.

    `kind` is a short fixed word for programs ("self-transfer"), `where` the place ("relay.py:12 transfer"),
    `hint` the remedy.  `others` are further failures found in the same pass (see `raise_failures`).
    """

    def __init__(self, message: str, *, kind: str, where: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.where = where
        self.hint = hint
        self.others: tuple[AlphaError, ...] = ()

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        remedy = f"; {self.hint}" if self.hint else ""
        return f"{place}{self.message}{remedy}"

    @property
    def failures(self) -> tuple[AlphaError, ...]:
        """This failure and all that were found with it, in the order in which they were found."""
        return (self, *self.others)


class Refused(AlphaError):
    """A peer's bytes were refused at run time: kind "frame", "edge", "version", "bytes" or "truncated"."""


class ProtocolFailure(AlphaError):
    """The global protocol breaks a rule of its own; `where` is the path to the form."""


class MembershipFailure(AlphaError):
    """Members, a selection or a topology over them cannot be."""


class ContractFailure(AlphaError):
    """The numerical contract, or what this release does of it, does not allow what is asked."""


class UnsupportedPrimitive(AlphaError):
    """A learner uses an operation that has no lowering on a role's target."""


class LearnerFailure(AlphaError):
    """Loss, state, samples, optimiser or evaluation of a learner cannot be used."""


class SystemFailure(AlphaError):
    """A system file, or a value in it, cannot be read as a system."""


class BuildFailure(AlphaError):
    """A toolchain, folder or file that a build needs is not there or does not work."""


def raise_failures(failures: Sequence[AlphaError]) -> NoReturn:
    """Raise the first failure; it carries the rest in `others`, and as notes for a bare traceback."""
    assert failures, "nothing failed"
    first, *rest = failures
    first.others = tuple(rest)
    for failure in rest:
        first.add_note(f"{type(failure).__name__}: {failure}")
    raise first
