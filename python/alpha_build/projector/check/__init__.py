"""Checks before projection: `check` returns a value that only it can make."""

from .check import check, failures
from .checked import Checked

__all__ = ["Checked", "check", "failures"]
