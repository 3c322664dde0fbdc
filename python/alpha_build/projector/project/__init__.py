"""Projection: from a checked system to one role's program and rows."""
