"""Projection: from a checked system to one role's program and rows."""

from .classes import Classes
from .project import project, project_rows
from .text import schedule_text, step_text

__all__ = ["Classes", "project", "project_rows", "schedule_text", "step_text"]
