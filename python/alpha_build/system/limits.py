"""Every bound and default of the Python side, each with its reason; docs/limits.md has C++'s too."""

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

# What a system has where its author says nothing.
FRAME_BYTES = 2**20  # large enough for the hash lanes, small enough to relay while it arrives
CONNECT_SECONDS = 30  # machines of one run start within half a minute of each other
ACCEPT_SECONDS = 30  # the same, seen from the lower role
WAIT_SECONDS = 300  # covers the peer's local work: the longest round that is not a fault
FRAME_SECONDS = 30  # 2**20 bytes at 35 KB/s: slower is a fault

STAGED_FRAMES_MAX = 8  # children's frames that wait to be added: 24 MiB above its regions hold any role
LEAF_BYTES = 4096  # of a payload, hashed on its own, so that lanes have work: a memory page
RING_BYTES = 2**20  # of an edge through memory, for a direction: about a frame of the default size
SAMPLES_EMBEDDED_BYTES = 2**24  # what a role has more of lies beside its executable, which stays handy
EMBEDDED_BYTES_MAX = 2**30  # one role's state, constants and samples, so that no size surprises later

# A run on one machine.
LINE_BYTES_MAX = 2**20  # a longer line is cut there: a role that never ends one cannot fill memory
SPREAD_SECONDS = 1.0  # for an abort to spread while roles are still being started: nobody computes yet
TICK_SECONDS = 0.2  # between looks at roles that may be stopped
