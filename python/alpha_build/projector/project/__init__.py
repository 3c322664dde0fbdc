"""Projection: from a checked system to one role's program and rows."""

from .classes import Classes
from .project import project
from .text import schedule_text, step_text

__all__ = ["Classes", "project", "schedule_text", "step_text"]
