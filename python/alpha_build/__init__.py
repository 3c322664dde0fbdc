"""alpha-build: a learning system or protocol written once, checked, and built into one executable a role.

Only names are here: what a user writes, and what may go wrong.  `alpha_build.frame`, `.endpoint` and
`.combine` are the runtime's own C++ in process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .system.contract import Budgets, Contract, Target
from .system.errors import (
    AlphaError,
    BuildFailure,
    ContractFailure,
    LearnerFailure,
    MembershipFailure,
    ProtocolFailure,
    Refused,
    SystemFailure,
    UnsupportedPrimitive,
)
from .system.forms import (
    Choice,
    Combine,
    Deliver,
    Everyone,
    Local,
    Repeat,
    Sequence,
    Skip,
    Transfer,
)
from .system.learner import Evaluation, Learner, Samples, Stop
from .system.membership import ParticipantGroup
from .system.region import Operation, Region, Word
from .system.selection import join, repeat, stride
from .system.system import System
from .system.topology import Mesh, Pair, Star, Tree
from .system.tree import ParticipantTree

if TYPE_CHECKING:
    from .state.load import load_state

__all__ = [
    "AlphaError",
    "Budgets",
    "BuildFailure",
    "Choice",
    "Combine",
    "Contract",
    "ContractFailure",
    "Deliver",
    "Evaluation",
    "Everyone",
    "Learner",
    "LearnerFailure",
    "Local",
    "MembershipFailure",
    "Mesh",
    "Operation",
    "Pair",
    "ParticipantGroup",
    "ParticipantTree",
    "ProtocolFailure",
    "Refused",
    "Region",
    "Repeat",
    "Samples",
    "Sequence",
    "Skip",
    "Star",
    "Stop",
    "System",
    "SystemFailure",
    "Target",
    "Transfer",
    "Tree",
    "UnsupportedPrimitive",
    "Word",
    "join",
    "load_state",
    "repeat",
    "stride",
]


def __getattr__(name: str) -> Any:
    """`load_state` comes on first use, so that writing or projecting a system reads no checkpoint code."""
    if name == "load_state":
        from .state.load import load_state

        return load_state
    raise AttributeError(f"module 'alpha_build' has no attribute {name!r}")
