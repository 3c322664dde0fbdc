"""The learner of learner_role.cpp: its systems, its stamps, and its model in plain NumPy."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import cbor2
import numpy as np
from numpy.typing import NDArray

from alpha_build.build.stamp import BatchStamp, LearnerStamp, Range, ShareStamp
from combine import model
from role.launch import RUN, Member, Toolchain

ROUNDS, EVERY, BATCH, SAMPLES, EVALUATION = 5, 2, 11, 23, 5  # batches of 11, 11 and 1
BLOCK, EVALUATION_BLOCK, RATE, SCALE = 2, 2, 0.125, 2.0
Array = NDArray[np.float32]
SOURCE = Path(__file__).with_name("learner_role.cpp")


@dataclass(frozen=True)
class Shape:
    """A tree of members in preorder; `pair` combines by exchange; a mesh in parts, as a tree does."""

    members: int
    fanout: int
    order: str = "tree"
    larger_last: bool = False  # order tree: the last member is the one with a sample where there are few
    mesh: bool = False

    @property
    def pair(self) -> bool:
        return self.members == 2 and self.fanout == 0

    @property
    def run(self) -> bytes:
        """The run identity, in whose first bytes the executable finds its Kind and its Order."""
        kind = 3 if self.mesh else 2 if self.order == "sequence" else 1 if self.pair else 0
        return bytes([kind, self.order == "canonical"]) + RUN[2:]

    def children(self, role: int) -> list[int]:
        """Children of every node, by cutting descendants into chunks; on a mesh the root's are all others."""
        if self.mesh:
            return list(range(1, self.members)) if role == 0 else []

        def search(first: int, size: int) -> list[int] | None:
            at, found = first + 1, []
            for chunk in model.chunks(size - 1, self.fanout or 1):
                found.append(at)
                if role in range(at, at + chunk):
                    return search(at, chunk)
                at += chunk
            return found

        return search(0, self.members) or []

    def subtree(self, role: int) -> range:
        last = role
        if self.mesh:
            return range(role, role + 1)
        while below := self.children(last):
            last = below[-1]
        return range(role, last + 1)

    def parent(self, role: int) -> int | None:
        return next((up for up in range(role) if role in self.children(up)), None)


def data() -> tuple[Array, Array, Array, Array]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(SAMPLES, 3)).astype(np.float32)
    # Magnitudes far apart, so that every order of addition has bits of its own.
    y = (rng.normal(size=SAMPLES) * 10.0 ** rng.integers(-3, 4, SAMPLES)).astype(np.float32)
    return x, y, x[:EVALUATION] * np.float32(0.5), y[:EVALUATION]


def batches() -> list[range]:
    return [range(at, min(at + BATCH, SAMPLES)) for at in range(0, SAMPLES, BATCH)]


def share(shape: Shape, member: int, samples: int, block: int) -> tuple[Range, Range, int]:
    """Own samples, own blocks and all blocks, of a batch."""
    if shape.order == "canonical":
        blocks = -(-samples // block)
        first, last = model.blocks_of(member, shape.members, blocks)
        return (min(first * block, samples), min(last * block, samples)), (first, last), blocks
    sizes = model.chunks(samples, shape.members) + [0] * max(0, shape.members - samples)
    if shape.larger_last:
        sizes.reverse()
    return (sum(sizes[:member]), sum(sizes[: member + 1])), (0, 0), 0


def share_stamp(shape: Shape, role: int, samples: int, block: int) -> ShareStamp:
    own, own_blocks, blocks = share(shape, role, samples, block)
    pick = 1 if shape.order == "canonical" else 0

    def held(roles: range) -> Range:
        first = share(shape, roles[0], samples, block)[pick]
        last = share(shape, roles[-1], samples, block)[pick]
        return first[0], last[1]

    peers = neighbours(shape, role)
    across = (peer if shape.mesh else max(peer, role) for peer in peers)
    edges = tuple(held(shape.subtree(below)) for below in across)
    return ShareStamp(own, own_blocks, blocks, edges)


def neighbours(shape: Shape, role: int) -> tuple[int, ...]:
    if shape.mesh:
        return tuple(peer for peer in range(shape.members) if peer != role)
    parent = shape.parent(role)
    return (*([] if parent is None else [parent]), *shape.children(role))


def member(shape: Shape, role: int, linked: bytes, emulator: str | None = None) -> Member:
    x, y, ex, ey = data()
    rows = [batch[slice(*share(shape, role, len(batch), BLOCK)[0])] for batch in batches()]
    own = [i for batch in rows for i in batch]
    evaluation = slice(*share(shape, role, EVALUATION, EVALUATION_BLOCK)[0])
    batch_stamp = BatchStamp(
        denominators=tuple(map(float, map(len, batches()))),
        short_batch=True,
        block=BLOCK,
        evaluation_block=EVALUATION_BLOCK,
        evaluation_denominator=float(EVALUATION),
        shares=(
            share_stamp(shape, role, BATCH, BLOCK),
            share_stamp(shape, role, SAMPLES % BATCH, BLOCK),
            share_stamp(shape, role, EVALUATION, EVALUATION_BLOCK),
        ),
    )
    stamp = LearnerStamp(
        state_identity=sha256(b"toy").digest(),
        initial_state=(np.zeros(3, np.float32).tobytes(), np.zeros((), np.int32).tobytes()),
        constants=tuple(np.float32(v).tobytes() for v in (SCALE, RATE, SCALE)),
        samples=(x[own].tobytes(), y[own].tobytes()),
        evaluation=(ex[evaluation].tobytes(), ey[evaluation].tobytes()),
    )
    return Member(linked, role, neighbours(shape, role), batch_stamp, stamp, emulator, shape.run)


def linked(toolchain: Toolchain) -> bytes:
    """One executable for every role of every system: that a build makes one a class is the build's test."""
    out = toolchain.folder / "toy"
    return out.read_bytes() if out.exists() else linked_with(toolchain, out)


def linked_with(toolchain: Toolchain, out: Path, *options: str) -> bytes:
    """The same with more flags, or with sources that stand for those of the runtime."""
    out.parent.mkdir(exist_ok=True)
    write_tables(out.parent / "tables.h")
    defined = [f"-I{out.parent}", f"-DROUNDS={ROUNDS}", f"-DEVERY={EVERY}"]
    return toolchain.compile(SOURCE, out, *defined, *options)


def write_tables(path: Path) -> None:
    tensors = [('optimizer/"count"', "I32", [], 4), ("params/w", "F32", [3], 12)]
    header, at = {}, 0
    for name, dtype, shape, size in tensors:
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    marks = [bytes([i]) * 32 for i in range(len(tensors))]
    rest = cbor2.dumps([[n, d, s, m] for (n, d, s, _), m in zip(tensors, marks, strict=True)], canonical=True)
    pieces = []
    for mark in marks:
        piece, rest = rest.split(mark)
        pieces.append(piece)
    pieces.append(rest)
    lines = [
        "#pragma once",
        '#include "role/tables.h"',
        array("kShardHeader", struct.pack("<Q", len(text)) + text),
    ]
    # An empty last piece is a span of nothing.
    lines += [array(f"kPiece{i}", piece or b"\0") for i, piece in enumerate(pieces)]
    spans = ", ".join(f"{{kPiece{i}, {len(piece)}}}" for i, piece in enumerate(pieces))
    lines.append(f"constexpr alpha::Span<const alpha::u8> kStateHashPieces[] = {{{spans}}};")
    path.write_text("\n".join(lines) + "\n")


def array(name: str, data: bytes) -> str:
    return f"constexpr alpha::u8 {name}[] = {{{', '.join(map(str, data))}}};"


# ---- the model ----


def add_rows(kind: str, w: Array, x: Array, y: Array) -> Array:
    """A program over rows, one float32 operation after the other: [loss, gradient] or [error, count]."""
    sums = np.zeros(4 if kind == "block" else 2, np.float32)
    for row, target in zip(x, y, strict=True):
        error = np.float32(0)
        for j in range(3):
            error += w[j] * row[j]
        error -= target
        if kind == "block":
            sums[0] += error * error
            for j in range(3):
                sums[1 + j] += np.float32(SCALE) * error * row[j]
        else:
            sums[0] += np.float32(SCALE) * error * error
            sums[1] += np.float32(2**-140)
    return sums


def combined(shape: Shape, samples: range, block: int, call: Callable[[range], Array]) -> Array:
    if shape.order == "canonical":
        total = model.canonical([call(samples[at : at + block]) for at in range(0, len(samples), block)])
    else:
        own = [samples[slice(*share(shape, m, len(samples), block)[0])] for m in range(shape.members)]
        parts: list[Any] = [call(rows) if len(rows) else None for rows in own]
        total = model.tree(parts, shape.members if shape.order == "sequence" else shape.fanout or 1)
    assert total is not None
    return (total / np.float32(len(samples))).astype(np.float32)


def reference(shape: Shape) -> tuple[Array, list[str]]:
    """The final parameters and the root's lines."""
    x, y, ex, ey = data()
    w, lines = np.zeros(3, np.float32), []
    for t in range(ROUNDS):
        result = combined(
            shape, batches()[t % 3], BLOCK, lambda rows, w=w: add_rows("block", w, x[rows], y[rows])
        )  # type: ignore[misc]
        lines.append(f"alpha-build: role 0: round {t + 1}: loss {result[0]:.9g}")
        w = (w - np.float32(RATE) * result[1:]).astype(np.float32)
        if (t + 1) % EVERY == 0 or t + 1 == ROUNDS:
            found = combined(shape, range(EVALUATION), EVALUATION_BLOCK,
                             lambda rows, w=w: add_rows("metric", w, ex[rows], ey[rows]))  # type: ignore[misc]  # fmt: skip
            lines.append(f'alpha-build: role 0: round {t + 1}: metric "error" {found[0]:.9g}')
            lines.append(f'alpha-build: role 0: round {t + 1}: metric "say \\"rows\\"" {found[1]:.9g}')
    return w, lines


def state_hash(w: Array) -> str:
    def digest(data: bytes) -> bytes:
        return sha256(
            b"".join(sha256(data[i : i + 4096]).digest() for i in range(0, len(data), 4096))
        ).digest()

    count = np.int32(ROUNDS).tobytes()
    rows = [['optimizer/"count"', "I32", [], digest(count)], ["params/w", "F32", [3], digest(w.tobytes())]]
    return sha256(cbor2.dumps(rows, canonical=True)).hexdigest()
