"""The rows that make a role of its class: bytes laid out exactly as cpp/role/stamp.h reads them.

Offsets in a stamp count from its first byte; everything that one points at starts at a multiple of 64 bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from alpha_build.system.errors import BuildFailure
from alpha_build.system.limits import EMBEDDED_BYTES_MAX

MAGIC = b"ALPHAST1"
HOLDS_SAMPLES, HOLDS_EVALUATION = 1, 2
ALIGNMENT_BYTES = 64

_HEAD = struct.Struct("<8sQ32sQQQ5Q32sQQQQQd")
_SHARE = struct.Struct("<6Q")
_TAIL = struct.Struct("<6Q32s2Q")  # the last: roles on this one's host
_EDGE = struct.Struct("<QIIHHI")
STAMP_BYTES = _HEAD.size + 3 * _SHARE.size + _TAIL.size
EDGE_BYTES = _EDGE.size

Range = tuple[int, int]


@dataclass(frozen=True)
class EdgeStamp:
    """One edge: where the lower role listens and what the higher one dials; IPv4 in host order."""

    peer: int
    listen_address: int
    dial_address: int
    listen_port: int
    dial_port: int
    shared: bool = False  # through memory that both ends map


@dataclass(frozen=True)
class BudgetStamp:
    """Nanoseconds; session 0: none."""

    connect: int
    accept: int
    wait: int
    frame: int
    session: int


@dataclass(frozen=True)
class ShareStamp:
    """One kind of round (full, short, evaluation), as [begin, end) within the batch."""

    own: Range = (0, 0)
    own_blocks: Range = (0, 0)
    blocks: int = 0
    edges: tuple[Range, ...] = ()


@dataclass(frozen=True)
class BatchStamp:
    """How a batch is cut and what its mean divides by; without a learner one batch, of the members."""

    denominators: tuple[float, ...]  # one for each batch of a pass over the samples
    short_batch: bool = False
    block: int = 0
    evaluation_block: int = 0
    evaluation_denominator: float = 0
    shares: tuple[ShareStamp, ShareStamp, ShareStamp] = (ShareStamp(), ShareStamp(), ShareStamp())


@dataclass(frozen=True)
class SampleFile:
    """Rows in a file beside the executable; offsets of arrays in it are None for those that are embedded."""

    name: str
    data: bytes
    samples: tuple[int, ...] | None
    evaluation: tuple[int, ...] | None

    @cached_property
    def sha256(self) -> str:
        """Hexadecimal."""
        return sha256(self.data).hexdigest()


@dataclass(frozen=True)
class LearnerStamp:
    """What a learner embeds; arrays as row-major little-endian bytes, none where they are in `file`."""

    state_identity: bytes
    initial_state: tuple[bytes, ...]
    constants: tuple[bytes, ...]
    samples: tuple[bytes, ...]
    evaluation: tuple[bytes, ...]
    file: SampleFile | None = None


@dataclass(frozen=True)
class Stamp:
    """Everything stamped into one role's executable."""

    run: bytes
    role: int
    edges: tuple[EdgeStamp, ...]
    budgets: BudgetStamp
    batches: BatchStamp
    learner: LearnerStamp | None = None
    host_roles: int = 0  # participants on this role's host, itself included; 0: unknown


class _Pieces:
    """What follows the fixed part, each piece padded to the alignment."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.bytes = _aligned(STAMP_BYTES)

    def add(self, data: bytes) -> int:
        offset = self.bytes
        padding = _aligned(len(data)) - len(data)
        self.pieces.append(data)
        if padding:
            self.pieces.append(bytes(padding))
        self.bytes += len(data) + padding
        return offset

    def add_arrays(self, arrays: Sequence[bytes]) -> int:
        """A table of offsets, then the arrays; 0 when there are none."""
        if not arrays:
            return 0
        return self.add_offsets([self.add(array) for array in arrays])

    def add_offsets(self, offsets: Sequence[int]) -> int:
        """A table of offsets."""
        return self.add(struct.pack(f"<{len(offsets)}Q", *offsets))


def encode(stamp: Stamp) -> list[bytes]:
    """The stamp as pieces to be written one after the other.

    Raises:
        BuildFailure: the role would embed more than EMBEDDED_BYTES_MAX bytes.
    """
    rest = _Pieces()
    edge_rows = rest.add(b"".join(map(_encode_edge, stamp.edges)))
    batches, learner = stamp.batches, stamp.learner
    cycle = len(batches.denominators)
    denominators = rest.add(struct.pack(f"<{cycle}d", *batches.denominators))
    shares = b"".join(_encode_share(share, rest) for share in batches.shares)
    tail = (0, 0, 0, 0, 0, 0, bytes(32), 0) if learner is None else _learner_tail(learner, rest)
    if rest.bytes > EMBEDDED_BYTES_MAX:
        raise BuildFailure(
            f"role {stamp.role} would embed {rest.bytes} bytes of state and samples; "
            f"an executable holds at most {EMBEDDED_BYTES_MAX}",
            kind="embedded-bytes",
            hint="use more members or fewer samples, or put them beside it: ab.Samples(..., embed=False)",
        )
    budgets = stamp.budgets
    head = _HEAD.pack(
        MAGIC, rest.bytes, stamp.run, stamp.role, len(stamp.edges), edge_rows,
        budgets.connect, budgets.accept, budgets.wait, budgets.frame, budgets.session,
        learner.state_identity if learner else bytes(32), cycle, batches.short_batch,
        batches.block, batches.evaluation_block, denominators, batches.evaluation_denominator,
    )  # fmt: skip
    fixed = head + shares + _TAIL.pack(*tail, stamp.host_roles)
    return [fixed.ljust(_aligned(STAMP_BYTES), b"\0"), *rest.pieces]


def _learner_tail(learner: LearnerStamp, rest: _Pieces) -> tuple[Any, ...]:
    """Offsets of state, constants and rows, then what there is to know of the file beside the executable."""
    state, constants = rest.add_arrays(learner.initial_state), rest.add_arrays(learner.constants)
    samples, evaluation = rest.add_arrays(learner.samples), rest.add_arrays(learner.evaluation)
    file = learner.file
    if file is None:
        return (state, constants, samples, evaluation, 0, 0, bytes(32), 0)
    if file.samples is not None:
        samples = rest.add_offsets(file.samples)
    if file.evaluation is not None:
        evaluation = rest.add_offsets(file.evaluation)
    name = rest.add(file.name.encode() + b"\0")
    holds = HOLDS_SAMPLES * (file.samples is not None) + HOLDS_EVALUATION * (file.evaluation is not None)
    digest = bytes.fromhex(file.sha256)
    return (state, constants, samples, evaluation, name, len(file.data), digest, holds)


def _encode_edge(edge: EdgeStamp) -> bytes:
    return _EDGE.pack(*astuple(edge))


def _encode_share(share: ShareStamp, rest: _Pieces) -> bytes:
    ranges = rest.add(b"".join(struct.pack("<2Q", *edge) for edge in share.edges)) if share.edges else 0
    return _SHARE.pack(*share.own, *share.own_blocks, share.blocks, ranges)


@dataclass(frozen=True)
class StampHead:
    """What `inspect` and `bind` read of a stamp: all but the embedded arrays."""

    size: int  # bytes
    run: bytes
    role: int
    edges: tuple[EdgeStamp, ...]
    budgets: BudgetStamp
    state_identity: bytes  # zero without a learner
    host_roles: int  # 0: unknown
    samples: tuple[str, int, str] | None  # the file beside the executable: name, bytes, SHA-256


def decode(data: bytes) -> StampHead:
    """Read the head and the edge rows of a stamp.

    Raises:
        BuildFailure: the bytes are not a whole stamp.
    """
    if len(data) < STAMP_BYTES or data[:8] != MAGIC:
        raise BuildFailure("the stamp is not one of this version of alpha-build", kind="artifact")
    fields = _HEAD.unpack_from(data)
    _, size, run, role, edge_count, edge_rows = fields[:6]
    if size != len(data) or edge_rows + edge_count * _EDGE.size > size:
        raise BuildFailure("the stamp is cut short", kind="artifact")
    rows = (_EDGE.unpack_from(data, edge_rows + index * _EDGE.size) for index in range(edge_count))
    edges = tuple(EdgeStamp(*row[:5], *map(bool, row[5:])) for row in rows)
    *_, name_at, file_bytes, digest, _, host_roles = _TAIL.unpack_from(data, STAMP_BYTES - _TAIL.size)
    samples = None
    if name_at:
        end = data.find(b"\0", name_at)
        if end < 0:
            raise BuildFailure("the stamp's name of its samples is cut short", kind="artifact")
        samples = (data[name_at:end].decode(errors="replace"), file_bytes, digest.hex())
    return StampHead(size, run, role, edges, BudgetStamp(*fields[6:11]), fields[11], host_roles, samples)


def with_edges(data: bytes, edges: Sequence[EdgeStamp], host_roles: int) -> bytes:
    """The same stamp with other addresses, ports and neighbours; the edges and their order stay."""
    head = decode(data)
    assert [edge.peer for edge in edges] == [edge.peer for edge in head.edges], "edges of another role"
    at = _HEAD.unpack_from(data)[5]
    rows = b"".join(map(_encode_edge, edges))
    data = data[:at] + rows + data[at + len(rows) :]
    last = STAMP_BYTES - 8
    return data[:last] + struct.pack("<Q", host_roles) + data[STAMP_BYTES:]


def with_budgets(data: bytes, budgets: BudgetStamp) -> bytes:
    """The same stamp with other budgets."""
    fields = list(_HEAD.unpack_from(data))
    fields[6:11] = astuple(budgets)
    return _HEAD.pack(*fields) + data[_HEAD.size :]


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT_BYTES) * ALIGNMENT_BYTES
