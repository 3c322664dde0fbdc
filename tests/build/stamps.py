"""A stamp in which every field has a value of its own."""

from __future__ import annotations

import dataclasses

from alpha_build.build.stamp import (
    BatchStamp,
    BudgetStamp,
    EdgeStamp,
    LearnerStamp,
    SampleFile,
    ShareStamp,
    Stamp,
)

EDGES = (
    EdgeStamp(3, 0x7F000001, 0x7F000002, 0, 4001),
    EdgeStamp(9, 0x0A000001, 0xC0000207, 65535, 1, shared=True),
)
SHARES = (
    ShareStamp((1, 2), (3, 4), 5, ((6, 7), (8, 9))),
    ShareStamp((11, 12), (13, 14), 15, ((16, 17), (18, 19))),
    ShareStamp((21, 22), (23, 24), 25, ((26, 27), (28, 29))),
)
LEARNER = LearnerStamp(
    state_identity=b"\x44" * 32,
    initial_state=(b"\1" * 100, b"\2" * 3),
    constants=(),
    samples=(b"\5" * 7,),
    evaluation=(b"\6" * 65,),
)
FILED = dataclasses.replace(
    LEARNER, evaluation=(), file=SampleFile("x.role-7.samples.safetensors", b"abc", None, (55, 56))
)
STAMP = Stamp(
    run=bytes(range(1, 33)),
    role=7,
    edges=EDGES,
    budgets=BudgetStamp(101, 102, 103, 104, 105),
    batches=BatchStamp((64.0, 37.0), True, 31, 33, 35.0, SHARES),
    learner=LEARNER,
    host_roles=4,
)
# What stub.cpp prints of it; the evaluation's denominator as its bits.
PRINTED = {
    "run": [32], "role": [7], "edges": [2], "peer": [3, 9], "shared": [0, 1],
    "listen": [0x7F000001, 0x0A000001], "dial": [0x7F000002, 0xC0000207],
    "listen_port": [0, 65535], "dial_port": [4001, 1], "connect": [101],
    "session": [105], "state_identity": [0x44], "rounds_cycle": [2], "short_batch": [1], "block": [31],
    "evaluation_block": [33], "denominator": [37], "evaluation_denominator": [0x4041800000000000],
    "own.begin": [1, 11, 21], "own.end": [2, 12, 22], "own_blocks.end": [4, 14, 24], "blocks": [5, 15, 25],
    "edge.end": [7, 17, 27], "initial_state": [2], "constants": [0], "samples": [5], "host_roles": [4],
    "evaluation": [6], "sample_file": [0], "sample_file_bytes": [0], "sample_file_sha256": [0],
    "sample_file_holds": [0],
}  # fmt: skip
# The same with the evaluation's rows beside it: SHA-256 of "abc" begins with ba.
PRINTED_FILED = PRINTED | {
    "evaluation": [56], "sample_file": [ord("x")], "sample_file_bytes": [3], "sample_file_sha256": [0xBA],
    "sample_file_holds": [2],
}  # fmt: skip
