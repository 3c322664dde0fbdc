"""A learner's part of a generated file: lowered programs, the state's layout, bytes around its digests."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from alpha_build.learner.lower import lower
from alpha_build.learner.program import LearnerProgram, StateLeaf
from alpha_build.learner.tensors import TENSOR_NAMES
from alpha_build.projector.emit.template import template
from alpha_build.projector.emit.text import Names, folded, literal, literals, one_line, row
from alpha_build.system.digest import canonical

_DIGEST_HEAD = b"\x58\x20"  # CBOR: a byte string of 32


@dataclass(frozen=True)
class LoweredProgram:
    """One program as C++, with the most rows that any role of the run calls it with."""

    constant: str  # "block", "update" or "metric"
    function: str
    source: str
    rows_max: int
    scratch_bytes: int
    constants: tuple[int, ...]  # bytes of each closed-over array


@dataclass(frozen=True)
class LearnerSource:
    """A traced learner lowered for one target: the same in every class of the target."""

    program: LearnerProgram
    programs: tuple[LoweredProgram, ...]
    includes: tuple[str, ...]

    @property
    def scratch_bytes(self) -> int:
        """Of the program that needs most."""
        return max(program.scratch_bytes for program in self.programs)


def lower_learner(
    learner: LearnerProgram, target: str, rounding: str, block_rows_max: int, evaluation_rows_max: int
) -> LearnerSource:
    """Lower all programs of a learner.

    Raises:
        UnsupportedPrimitive: one of them uses an operation that has no lowering on the target.
    """
    parts = [("block", learner.block, block_rows_max), ("update", learner.update, 0)]
    if learner.metric is not None:
        parts.append(("metric", learner.metric, evaluation_rows_max))
    programs, includes = [], set()
    for name, program, rows in parts:
        lowered = lower(program, f"{name}_program", target=target, rounding=rounding)
        constants = tuple(array.nbytes for array in program.constants)
        source = lowered.source.strip("\n")
        programs.append(
            LoweredProgram(name, lowered.name, source, rows, lowered.scratch_bytes(rows), constants)
        )
        includes |= set(lowered.includes)
    return LearnerSource(learner, tuple(programs), tuple(sorted(includes)))


@dataclass(frozen=True)
class EmittedLearner:
    programs: tuple[LoweredProgram, ...]
    shapes: tuple[tuple[str, str], ...]
    tensors: tuple[str, ...]
    parameters: int
    gradient_offsets: str
    contribution_count: int
    sample_row_bytes: str
    evaluation_row_bytes: str
    metric_names: tuple[str, ...]
    rounds: int
    stop: str | None  # the row of a StopRule
    keyed: bool
    header: str
    order: str
    hash_pieces: tuple[str, ...]


def emit_programs(source: LearnerSource, target: str, file: str) -> str:
    """C++ text of a learner's programs for one target; `file` is the user's, for the first line."""
    return template("programs.cpp.j2", __file__).render(
        source=one_line(file), target=target, includes=source.includes, programs=source.programs
    )


def emit_learner(source: LearnerSource, names: Names, buffers: Mapping[str, str]) -> EmittedLearner:
    """Everything of `struct Learner` in cpp/role/tables.h; `buffers` are constants by a region's name."""
    learner = source.program
    shapes = _Shapes(names)
    tensors = tuple(
        row(
            name=literal(leaf.name),
            dtype=literal(_dtype(leaf)),
            shape=shapes.of(leaf),
            bytes=leaf.array.nbytes,
        )
        for leaf in learner.state
    )
    order = sorted(range(len(learner.state)), key=lambda index: learner.state[index].name)
    ordered = [learner.state[index] for index in order]
    sizes = [leaf.array.size for leaf in learner.state[: learner.parameters]]
    offsets = [1 + sum(sizes[:index]) for index in range(len(sizes))]
    return EmittedLearner(
        programs=source.programs,
        shapes=shapes.constants,
        tensors=tensors,
        parameters=learner.parameters,
        gradient_offsets=_numbers(offsets),
        contribution_count=1 + sum(sizes),
        sample_row_bytes=_numbers(_row_bytes(array) for array in learner.samples),
        evaluation_row_bytes=_numbers(_row_bytes(array) for array in learner.evaluation_samples),
        metric_names=tuple(literal(name) for name in learner.metric_names),
        rounds=learner.rounds,
        stop=_stop(learner, buffers),
        keyed=learner.keyed,
        header=literals(safetensors_header(ordered), indent=4),
        order=_numbers(order),
        hash_pieces=tuple(literals(piece, indent=4) for piece in state_hash_pieces(ordered)),
    )


def _stop(learner: LearnerProgram, buffers: Mapping[str, str]) -> str | None:
    """The rule of stopping early, by the buffer and the element that it looks at."""
    rule = learner.stop
    if rule is None:
        return None
    buffer, element = buffers["gradient"], 0  # the loss comes before the gradient
    if not rule.of_loss:
        buffer, element = buffers["metrics"], learner.metric_names.index(rule.what)
    more = "true" if rule.mode == "max" else "false"
    what = literal(rule.what)
    return row(what=what, buffer=buffer, element=element, patience=rule.patience, more=more).rstrip(",")


def safetensors_header(leaves: Sequence[StateLeaf]) -> bytes:
    """A shard's first bytes: length, then JSON padded with spaces, so that data starts at a multiple of 8."""
    table, offset = {}, 0
    for leaf in leaves:
        end = offset + leaf.array.nbytes
        table[leaf.name] = {
            "dtype": _dtype(leaf),
            "shape": list(leaf.array.shape),
            "data_offsets": [offset, end],
        }
        offset = end
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":")).encode()
    text = text.ljust(-(-len(text) // 8) * 8)
    return len(text).to_bytes(8, "little") + text


def state_hash_pieces(leaves: Sequence[StateLeaf]) -> list[bytes]:
    """Canonical CBOR of [[name, dtype, shape, digest], ...] cut where the digests go."""
    pieces, before = [], _array_head(len(leaves))
    for leaf in leaves:
        fields = (leaf.name, _dtype(leaf), list(leaf.array.shape))
        pieces.append(before + _array_head(4) + b"".join(map(canonical, fields)) + _DIGEST_HEAD)
        before = b""
    return [*pieces, before]


def _array_head(count: int) -> bytes:
    """The first bytes of a CBOR array: canonical(count) is the same head in the major type of integers."""
    head = canonical(count)
    return bytes([head[0] | 0x80]) + head[1:]


def _dtype(leaf: StateLeaf) -> str:
    """As safetensors spells it."""
    return TENSOR_NAMES[leaf.array.dtype.name]


class _Shapes:
    """One constant for each different shape."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._constants: dict[tuple[int, ...], str] = {}

    def of(self, leaf: StateLeaf) -> str:
        shape = leaf.array.shape
        if shape and shape not in self._constants:
            self._constants[shape] = self._names.constant("shape", "x".join(map(str, shape)))
        return self._constants[shape] if shape else "{}"

    @property
    def constants(self) -> tuple[tuple[str, str], ...]:
        return tuple((name, _numbers(shape)) for shape, name in self._constants.items())


def _row_bytes(array: object) -> int:
    shape: tuple[int, ...] = getattr(array, "shape")  # noqa: B009
    itemsize: int = getattr(array, "itemsize")  # noqa: B009
    return itemsize * math.prod(shape[1:])


def _numbers(values: object) -> str:
    return folded(map(str, values), 4, 60)  # type: ignore[call-overload]
