"""Every bound on what a user may write, each with its reason."""

from __future__ import annotations

ROLE_MAX = 2**63 - 1  # roles, counts and periods stay signed 64-bit, on the wire and in every tool
INDEX_NODE_COUNT_MAX = 64  # a selection is a form, not a list: look-ups walk it
EDGE_COUNT_MAX = 1000  # descriptors of one process under the usual limit of 1,024
REPEAT_COUNT_MAX = 2**32 - 1  # over a century of rounds at one a second
USE_COUNT_MAX = 2**63 - 1  # the version of a frame never wraps
REGION_BYTES_MAX = 2**40  # one buffer of one process
FRAME_BYTES_MIN = 64  # a frame holds at least one manifest entry and a word
FRAME_BYTES_MAX = 2**30  # staging stays small beside the region
NESTING_COUNT_MAX = 64  # a protocol that a person can read, and a checker that may recurse
BUDGET_SECONDS_MAX = 10**9  # nanoseconds of a budget fit 64 bits with room to add
