"""One role's part of a run: what projection returns and emission reads (twin of cpp/role/tables.h).

A role program names edges by slot, never by number, so that roles with the same program share a class; what
differs between them (role, peers, ranges) is in the `RoleRows`, which the build stamps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ElementName = Literal["bytes", "f32", "f64", "i32", "i64", "word", "bf16", "f16"]


@dataclass(frozen=True)
class Buffer:
    """Local memory of one region of the system, on this role."""

    name: str
    element: ElementName
    count: int  # elements
    initial: float | int = 0


@dataclass(frozen=True)
class WireRegion:
    """One communicating form as this role sees it; `number` is the form's number on the wire."""

    name: str  # C++ constant without the k: "Gradient", "X"; unique in the program
    number: int
    element: ElementName
    count: int  # elements of the whole region; under order canonical, of one node
    buffer: int  # index into RoleProgram.buffers
    uses: int  # bound of the version: product of the repeats around the form


@dataclass(frozen=True)
class Step:
    """Base of the steps; `place` is the user's file:line and the form's name, for comments and refusals."""

    place: str


@dataclass(frozen=True)
class LocalStep(Step):
    operation: str  # a system operation's name, or "gradient" / "update" / "evaluate" of a learner


@dataclass(frozen=True)
class SendStep(Step):
    region: int  # index into RoleProgram.regions
    to: int  # slot


@dataclass(frozen=True)
class ReceiveStep(Step):
    region: int
    source: int  # slot


@dataclass(frozen=True)
class CombineStep(Step):
    region: int
    parent: int | None  # slot; None at the root
    children: tuple[int, ...]  # slots, in combining order


@dataclass(frozen=True)
class CombinePrefixStep(Step):
    """Combine in order sequence on a tree of several levels: a running sum comes from the parent, takes this
    role's value, goes to each child and back, and to the parent."""

    region: int
    parent: int | None
    children: tuple[int, ...]


@dataclass(frozen=True)
class ExchangeStep(Step):
    """Combine on a pair that delivers to every owner: both contributions cross, both ends combine."""

    region: int
    peer: int


@dataclass(frozen=True)
class DeliverStep(Step):
    region: int
    source: int | None
    to: tuple[int, ...]


@dataclass(frozen=True)
class CombinePartsStep(Step):
    """Combine on a mesh: each peer gets its own part of this contribution, and all are added in our part."""

    region: int
    peers: tuple[int, ...]  # every slot


@dataclass(frozen=True)
class GatherStep(Step):
    """Own part goes to `to`; the peers of `sources` send theirs."""

    region: int
    sources: tuple[int, ...]
    to: tuple[int, ...]


@dataclass(frozen=True)
class ScatterStep(Step):
    """Each peer of `to` gets its own part; ours comes from `source`."""

    region: int
    source: int | None  # None at the root
    to: tuple[int, ...]


@dataclass(frozen=True)
class ChooseStep(Step):
    """The word in `region`'s buffer decides; it is relayed to `to` in this order."""

    region: int
    source: int | None  # None at the authority
    to: tuple[int, ...]
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]


@dataclass(frozen=True)
class RepeatStep(Step):
    count: int
    body: tuple[Step, ...]


@dataclass(frozen=True)
class EveryStep(Step):
    """Inside a repeat: the body runs after each `period`-th pass of it, and after the last."""

    period: int
    body: tuple[Step, ...]


@dataclass(frozen=True)
class StartStep(Step):
    """Generation and root manifest digest, 40 bytes, from the root down: what every owner starts from."""

    region: int
    source: int | None
    to: tuple[int, ...]


@dataclass(frozen=True)
class UntilStep(Step):
    """The root's word, relayed to `to`: 1 ends the repeat with this pass."""

    region: int
    source: int | None
    to: tuple[int, ...]


@dataclass(frozen=True)
class PublishStep(Step):
    """Manifest digests up (`region`), the root's commit, its digest down (`region_down`)."""

    region: int
    region_down: int
    parent: int | None
    children: tuple[int, ...]


@dataclass(frozen=True)
class CloseStep(Step):
    edge: int


@dataclass(frozen=True)
class Edge:
    name: str  # "parent", "child[0]", "peer[2]": the same in every role of a class


@dataclass(frozen=True)
class EdgeRows:
    """Stamped rows of one edge, in slot order."""

    peer: int
    side: Literal["lower", "higher"]  # which end this role is: the lower listens


@dataclass(frozen=True)
class ShareRows:
    """One kind of round (full, short, evaluation) as [begin, end) ranges within the batch."""

    samples: tuple[int, int] = (0, 0)
    blocks: tuple[int, int] = (0, 0)
    block_count: int = 0
    edges: tuple[tuple[int, int], ...] = ()  # blocks (canonical) or samples across each slot; the parent's
    # slot holds this role's whole subtree


@dataclass(frozen=True)
class RoleRows:
    role: int
    members: int
    edges: tuple[EdgeRows, ...]
    shares: tuple[ShareRows, ShareRows, ShareRows] = field(
        default_factory=lambda: (ShareRows(), ShareRows(), ShareRows())
    )


@dataclass(frozen=True)
class RoleProgram:
    """All that emission sees of a system: one role, or one class of roles."""

    system: str
    source: str  # the user's file, for the generated header comment
    kind: str  # "root", "inner", "leaf", "peer": a word for people
    target: str  # "x86_64" or "aarch64"
    edges: tuple[Edge, ...]
    frame_bytes: int
    buffers: tuple[Buffer, ...]
    regions: tuple[WireRegion, ...]
    schedule: tuple[Step, ...]
    order: Literal["tree", "canonical"]
    normalization: Literal["sum", "mean"]
    rounding: Literal["separate", "fused"]
    refuse_nonfinite: bool
    operations: tuple[str, ...]  # names of the system's own operations that this role runs
    mesh_fanout: int = 0  # of the tree in whose order a mesh combines; 0 elsewhere
