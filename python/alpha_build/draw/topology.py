"""Who is joined to whom: every role of a small system, subtrees of one size together in a large one."""

from __future__ import annotations

from itertools import combinations

from graphviz import Graph

from ..projector.check import Checked
from ..system.tree import ParticipantTree
from .levels import child_counts, levels

TREE_MEMBERS_MAX = 64  # drawn one by one: still legible on a page
MESH_MEMBERS_MAX = 12
_STYLE = {"shape": "box", "style": "rounded", "fontname": "Helvetica", "fontsize": "11"}


def topology(checked: Checked) -> Graph:
    """An undirected graph; equal systems give equal text."""
    count, tree = len(checked.group), checked.shape.tree
    whole = count <= (MESH_MEMBERS_MAX if tree is None else TREE_MEMBERS_MAX)
    title = f"{checked.system.name}: {count:,} member{'s' if count > 1 else ''}, {checked.system.topology}"
    graph = Graph(
        "topology",
        engine="circo" if tree is None else "dot",
        graph_attr={"label": title, "labelloc": "t", "fontname": "Helvetica"},
        node_attr=_STYLE,
        edge_attr={"fontname": "Helvetica", "fontsize": "10"},
    )
    if whole:
        _members(graph, checked)
    elif tree is None:
        graph.node("all", f"{count:,} members\nevery two joined: {count * (count - 1) // 2:,} edges")
    else:
        _summary(graph, tree)
    return graph


def _members(graph: Graph, checked: Checked) -> None:
    tree = checked.shape.tree
    for position in range(len(checked.group)):
        role = checked.group.member(position)
        isa = checked.target(role).isa
        graph.node(str(position), f"role {role}" if isa == "x86_64" else f"role {role}\n{isa}")
    if tree is None:
        for one, other in combinations(range(len(checked.group)), 2):
            graph.edge(str(one), str(other))
        return
    for position in range(len(checked.group)):
        for child in tree.children(position):
            graph.edge(str(position), str(child))


def _summary(graph: Graph, tree: ParticipantTree) -> None:
    """A node for each level and size of subtree, an edge for the children of one kind in another."""
    found = levels(tree)
    for depth, level in enumerate(found):
        for size, count in sorted(level.items(), reverse=True):
            who = "the root" if depth == 0 else f"{count:,} role{'s' if count > 1 else ''}"
            below = f"{size - 1:,} below{' each' if count > 1 else ''}" if size > 1 else "nobody below"
            graph.node(f"{depth}.{size}", f"{who}\n{below}")
            for child, children in sorted(child_counts(size, tree.fanout).items(), reverse=True):
                edges = children * count
                text = f"{edges:,} edge{'s' if edges > 1 else ''}"
                graph.edge(f"{depth}.{size}", f"{depth + 1}.{child}", text)
