"""A run as a sequence diagram: lanes from top to bottom, every event at a place of its own."""

from __future__ import annotations

from graphviz import Digraph

from ..projector.check import Checked
from .events import Arrow, Close, Event, Events, Open, Work, events_of

LANE_POINTS = 150  # between two lanes
ROW_POINTS = 26  # between two events
MARGIN_POINTS = 60
NESTING_POINTS = 6  # a frame inside another is so much narrower on each side
_FONT = {"fontname": "Helvetica", "fontsize": "10"}


def sequence(checked: Checked) -> Digraph:
    """A graph whose nodes are pinned; equal systems give equal text."""
    found = events_of(checked)
    graph = Digraph(
        "sequence", engine="neato", graph_attr={"splines": "line"}, node_attr=_FONT, edge_attr=_FONT
    )
    _frames(graph, found)
    rows = len(found.events)
    for lane, label in enumerate(found.lanes):
        top, bottom = f"top{lane}", f"bottom{lane}"
        graph.node(top, label, shape="box", style="filled", fillcolor="white", pos=_at(lane, -1.6))
        graph.node(bottom, "", shape="point", width="0.01", pos=_at(lane, rows))
        graph.edge(top, bottom, arrowhead="none", color="gray70")
    for row, event in enumerate(found.events):
        _draw(graph, row, event)
    return graph


def _draw(graph: Digraph, row: int, event: Event) -> None:
    match event:
        case Arrow(source, target, label):
            ends = [f"{row}.{lane}" for lane in (source, target)]
            for end, lane in zip(ends, (source, target), strict=True):
                graph.node(end, "", shape="point", width="0.03", pos=_at(lane, row))
            graph.edge(*ends, arrowsize="0.7")
            middle = (source + target) / 2
            graph.node(f"{row}.label", label, shape="plaintext", pos=_at(middle, row - 0.35), height="0.1")
        case Work(lanes, label):
            for lane in lanes:
                place = _at(lane, row)
                graph.node(
                    f"{row}.{lane}", label, shape="box", style="filled", fillcolor="gray95",
                    height="0.2", margin="0.05,0.02", pos=place,
                )  # fmt: skip


def _frames(graph: Digraph, found: Events) -> None:
    """Boxes of repeats and arms; drawn first, so that everything else lies above them."""
    opened: list[tuple[int, str]] = []
    width = (len(found.lanes) - 1) * LANE_POINTS + 2 * MARGIN_POINTS
    frames = []
    for row, event in enumerate(found.events):
        match event:
            case Open(label):
                opened.append((row, label))
            case Close():
                first, label = opened.pop()
                frames.append((first, row, label, len(opened)))
    for first, last, label, depth in sorted(frames):
        inset = 2 * depth * NESTING_POINTS
        graph.node(
            f"frame{first}", f"{label}\\r", shape="box", color="gray60", labelloc="t", fixedsize="true",
            width=f"{(width - inset) / 72:.3f}", height=f"{(last - first + 0.6) * ROW_POINTS / 72:.3f}",
            pos=_at((len(found.lanes) - 1) / 2, (first + last) / 2),
        )  # fmt: skip


def _at(lane: float, row: float) -> str:
    return f"{lane * LANE_POINTS:.0f},{-row * ROW_POINTS:.1f}!"
