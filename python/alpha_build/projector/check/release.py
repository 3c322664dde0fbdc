"""What a user may write and this release does not do: one refusal each, that says what to use instead."""

from __future__ import annotations

from typing import Any

from ...system.contract import Budgets, Target
from ...system.errors import AlphaError, ContractFailure, LearnerFailure, ProtocolFailure, SystemFailure
from ...system.learner import Learner
from ...system.limits import BUDGET_SECONDS_MAX, FRAME_BYTES_MAX, FRAME_BYTES_MIN
from ...system.membership import ParticipantGroup
from ...system.system import System
from .names import is_file_name
from .numbers import seconds, whole

ISAS = ("x86_64", "aarch64")


def check_learner(learner: Learner, system: System, found: list[AlphaError]) -> None:
    """Parts of a learner that wait for a later release, and system parts that a learner brings itself."""
    where = f"{learner.place} learner"
    later = "not-in-this-release"
    if learner.partition != "none":
        known = learner.partition in ("optimizer", "gradients", "parameters")
        message = f"partition={learner.partition!r} is not {'in this release' if known else 'a partition'}"
        hint = 'use partition="none": every participant keeps the whole state'
        found.append(ContractFailure(message, kind=later if known else "partition", where=where, hint=hint))
    if learner.key is not None and not (isinstance(learner.key, str) and learner.key.isidentifier()):
        message, hint = (
            f"key={learner.key!r} names no parameter",
            'use key="key" for a loss with a parameter key',
        )
        found.append(LearnerFailure(message, kind="key", where=where, hint=hint))
    if whole(learner.seed) is None or not -(2**31) <= learner.seed < 2**32:
        message, hint = f"seed={learner.seed!r} is no seed", "give an integer of 32 bits"
        found.append(LearnerFailure(message, kind="seed", where=where, hint=hint))
    elif learner.seed != 0 and learner.key is None:
        message = "seed= is for random keys, and no key= names the loss's parameter that takes one"
        hint = "add key=, or use shuffle= to permute"
        found.append(LearnerFailure(message, kind="seed", where=where, hint=hint))
    for name in ("regions", "operations"):
        if getattr(system, name):
            message = f"a learner brings its own {name}; {name}= would not be used"
            hint = "leave it out, or write a protocol= in place of learner="
            found.append(ProtocolFailure(message, kind=f"learner-and-{name}", where=where, hint=hint))


def check_system(system: System, group: ParticipantGroup | None, found: list[AlphaError]) -> None:
    """Name, frame size, budgets, pairing."""
    where = f"{system.place} system"
    if not is_file_name(system.name):
        message = f"name={system.name!r} cannot begin a file name"
        hint = "use letters, digits, '.', '-' and '_', at most 100"
        found.append(SystemFailure(message, kind="name", where=where, hint=hint))
    frame_bytes = whole(system.frame_bytes)
    if frame_bytes is None or not FRAME_BYTES_MIN <= frame_bytes <= FRAME_BYTES_MAX or frame_bytes % 8:
        message = f"frame_bytes={system.frame_bytes!r} cannot bound a frame"
        hint = f"give a multiple of 8 from {FRAME_BYTES_MIN} to {FRAME_BYTES_MAX}"
        found.append(SystemFailure(message, kind="frame-bytes", where=where, hint=hint))
    _check_budgets(system.budgets, where, found)
    for role, target in system.pairing.items():
        _check_pairing(role, target, group, where, found)


def _check_budgets(budgets: Any, where: str, found: list[AlphaError]) -> None:
    if not isinstance(budgets, Budgets):
        message = f"budgets={budgets!r} is not budgets"
        found.append(SystemFailure(message, kind="budgets", where=where, hint="use Budgets(connect=30, ...)"))
        return
    for name in ("connect", "accept", "wait", "frame", "session"):
        value = getattr(budgets, name)
        if name == "session" and value is None:
            continue
        number = seconds(value)
        if number is None or number > BUDGET_SECONDS_MAX:
            message = f"budget {name}={value!r} is not a number of seconds"
            hint = f"give more than 0 and at most {BUDGET_SECONDS_MAX}"
            found.append(SystemFailure(message, kind="budgets", where=where, hint=hint))


def _check_pairing(
    role: Any, target: Any, group: ParticipantGroup | None, where: str, found: list[AlphaError]
) -> None:
    here = f"{where} pairing of role {role!r}"
    number = whole(role)
    if group is not None and (number is None or number not in group):
        message = f"role {role!r} is not a member"
        hint = f"members lie between roles {group.first} and {group.last}"
        found.append(ProtocolFailure(message, kind="participant-out-of-range", where=here, hint=hint))
    if not isinstance(target, Target) or target.isa not in ISAS:
        message = f"{target!r} is not a target"
        hint = "use " + " or ".join(f'Target("{isa}")' for isa in ISAS)
        found.append(SystemFailure(message, kind="target", where=here, hint=hint))
    elif target.gpu is not None:
        message = f"gpu={target.gpu!r}: GPU roles are not in this release"
        hint = f'use Target("{target.isa}")'
        found.append(ContractFailure(message, kind="not-in-this-release", where=here, hint=hint))
