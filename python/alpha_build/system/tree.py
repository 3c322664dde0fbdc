"""Preorder tree over positions 0..n-1: a subtree is one range, a question costs one path from the root."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Span:
    """Positions begin .. end-1: a subtree, whose root is `begin`."""

    begin: int
    end: int

    @property
    def count(self) -> int:
        """Members of the subtree."""
        return self.end - self.begin


def split(span: Span, fanout: int) -> tuple[int, int, int]:
    """How a subtree's descendants are cut: number of chunks, the larger chunks' number, the smaller size."""
    descendants = span.count - 1
    chunks = min(fanout, descendants)
    if chunks == 0:
        return 0, 0, 0
    size, larger = divmod(descendants, chunks)
    return chunks, larger, size


def child_span(span: Span, fanout: int, child: int) -> Span:
    """The child-th chunk's subtree."""
    _, larger, size = split(span, fanout)
    begin = span.begin + 1 + child * size + min(child, larger)
    return Span(begin, begin + size + (child < larger))


def children_of(span: Span, fanout: int) -> tuple[Span, ...]:
    """All children's subtrees, ascending."""
    chunks, larger, size = split(span, fanout)
    spans, begin = [], span.begin + 1
    for child in range(chunks):
        end = begin + size + (child < larger)
        spans.append(Span(begin, end))
        begin = end
    return tuple(spans)


def covers(subtree: Span, children: Sequence[Span], fanout: int) -> bool:
    """Whether child ranges are a parent's: at most F, none empty, gapless from after the root to the
    subtree's end, sizes that differ by at most one, larger first.  O(F): no look into the children."""
    ends = [subtree.begin + 1, *(child.end for child in children)]
    sizes = [child.count for child in children]
    return (
        len(children) <= fanout
        and all(child.begin == end for child, end in zip(children, ends, strict=False))
        and ends[-1] == subtree.end
        and all(size > 0 for size in sizes)
        and sizes == sorted(sizes, reverse=True)
        and (not sizes or sizes[0] - sizes[-1] <= 1)
    )


@dataclass(frozen=True)
class ParticipantTree:
    """`count` positions, at most `fanout` children each; a chunk of descendants is a child's subtree."""

    count: int
    fanout: int

    def _path(self, position: int) -> Iterator[Span]:
        """Subtrees from the root's to the position's own."""
        if not 0 <= position < self.count:
            raise IndexError(f"position {position} of {self.count}")
        span = Span(0, self.count)
        yield span
        while span.begin != position:
            _, larger, size = split(span, self.fanout)
            offset = position - span.begin - 1
            boundary = larger * (size + 1)
            child = offset // (size + 1) if offset < boundary else larger + (offset - boundary) // size
            span = child_span(span, self.fanout, child)
            yield span

    def locate(self, position: int) -> tuple[int | None, Span]:
        """The parent's position (None at the root) and the position's subtree, in one walk."""
        *above, last = self._path(position)
        return (above[-1].begin if above else None), last

    def subtree(self, position: int) -> Span:
        """The range of the position and all below it."""
        return self.locate(position)[1]

    def parent(self, position: int) -> int | None:
        """The parent's position; None at the root."""
        return self.locate(position)[0]

    def depth(self, position: int) -> int:
        """Edges between the root and the position."""
        return sum(1 for _ in self._path(position)) - 1

    def child_count(self, position: int) -> int:
        """Children of a position."""
        return split(self.subtree(position), self.fanout)[0]

    def child_subtrees(self, position: int) -> tuple[Span, ...]:
        """The children's subtrees, ascending."""
        return children_of(self.subtree(position), self.fanout)

    def children(self, position: int) -> tuple[int, ...]:
        """The children's positions, ascending: at most `fanout`."""
        return tuple(span.begin for span in self.child_subtrees(position))

    @property
    def levels(self) -> int:
        """Edges between the root and the deepest position; the first child's subtree is always a largest."""
        span, levels = Span(0, self.count), 0
        while span.count > 1:
            span, levels = child_span(span, self.fanout, 0), levels + 1
        return levels

    def certify(self, position: int) -> bool:
        """A parent's proof that its children cover its subtree, by range checks alone."""
        return covers(self.subtree(position), self.child_subtrees(position), self.fanout)
