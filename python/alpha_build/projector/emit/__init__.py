"""One role's program as C++ that a person can read: constants, step tables and one call."""

from .learner import LearnerSource, lower_learner
from .operations import OperationSource
from .role import RoleSource, emit_role

__all__ = ["LearnerSource", "OperationSource", "RoleSource", "emit_role", "lower_learner"]
