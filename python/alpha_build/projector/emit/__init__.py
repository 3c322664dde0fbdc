"""One role's program as C++ that a person can read: constants, step tables and one call."""

from .learner import LearnerSource, emit_programs, lower_learner
from .operations import OperationSource
from .role import RoleSource, emit_role

__all__ = ["LearnerSource", "OperationSource", "RoleSource", "emit_programs", "emit_role", "lower_learner"]
