"""Loop programs to C++: `lower` gives one function and its scratch bound."""

from .lower import Lowered, lower, refusals

__all__ = ["Lowered", "lower", "refusals"]
