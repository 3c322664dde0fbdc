"""A role's share of each kind of batch, and its subtrees' across each edge."""

from __future__ import annotations

from ...system.tree import Span
from ..check import Checked
from ..check.shares import BatchCut
from .program import ShareRows
from .view import View


def share_rows(checked: Checked, view: View) -> tuple[ShareRows, ShareRows, ShareRows]:
    """Full, short and evaluation batches; empty without a learner, or where such a batch does not occur."""
    if checked.cuts is None:
        return ShareRows(), ShareRows(), ShareRows()
    if checked.shape.tree is None:
        spans = tuple(Span(peer, peer + 1) for peer in view.neighbours)
    else:
        spans = (*(() if view.parent is None else (view.subtree,)), *view.child_subtrees)
    full, short, evaluation = (_rows(cut, view.position, spans) for cut in checked.cuts)
    return full, short, evaluation


def _rows(cut: BatchCut, position: int, spans: tuple[Span, ...]) -> ShareRows:
    if cut.samples == 0:
        return ShareRows(edges=((0, 0),) * len(spans))
    bound = cut.block_bound if cut.block else cut.sample_bound
    return ShareRows(
        samples=(cut.sample_bound(position), cut.sample_bound(position + 1)),
        blocks=(cut.block_bound(position), cut.block_bound(position + 1)),
        block_count=cut.block_count,
        edges=tuple((bound(span.begin), bound(span.end)) for span in spans),
    )
