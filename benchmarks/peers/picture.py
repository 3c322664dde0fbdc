"""The figures of a run of benchmarks as one picture: all-reduce by size for each n, and hashing by size."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot

Line = dict[str, Any]
Curves = dict[str, list[tuple[float, float]]]
INCHES = (4.2, 3.8)  # a panel's width and height


def draw(lines: list[Line], out: Path) -> None:
    """Writes an SVG; equal lines give equal bytes."""
    matplotlib.rcParams.update({"svg.hashsalt": "alpha-build", "svg.fonttype": "none", "font.size": 9})
    panels = [(f"all-reduce, n = {n}", "microseconds", curves) for n, curves in all_reduce(lines)]
    panels += [("hashing, one core", "GB/s", hashing(lines))]
    panels = [panel for panel in panels if panel[2]]
    if not panels:
        return
    figure, axes = pyplot.subplots(
        1, len(panels), figsize=(INCHES[0] * len(panels), INCHES[1]), squeeze=False, layout="constrained"
    )
    for axis, (title, unit, curves) in zip(axes[0], panels, strict=True):
        for name, points in sorted(curves.items()):
            axis.plot(*zip(*sorted(points), strict=True), label=name, **style(name))
        axis.set(title=title, xlabel="bytes", ylabel=unit, xscale="log")
        if unit == "microseconds":
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
        axis.grid(alpha=0.3)
        axis.legend(fontsize=7)
    figure.savefig(out, metadata={"Date": None})
    pyplot.close(figure)


def style(name: str) -> dict[str, Any]:
    if name == "floor":
        return {"color": "black", "linestyle": ":"}
    return {"marker": "o" if name.startswith("alpha-build") else "x", "markersize": 3}


def all_reduce(lines: Iterable[Line]) -> list[tuple[int, Curves]]:
    """For each n a curve of every system, and of the least floor among our topologies."""
    found: dict[int, Curves] = defaultdict(lambda: defaultdict(list))
    floors: dict[tuple[int, int], float] = {}
    for line in lines:
        if line["benchmark"] != "allreduce" or "median_us" not in line:
            continue
        n, size = line["n"], line["bytes"]
        found[n][line["system"]].append((size, line["median_us"]))
        if "floor_us" in line:
            floors[n, size] = min(line["floor_us"], floors.get((n, size), float("inf")))
    for (n, size), floor in floors.items():
        found[n]["floor"].append((size, floor))
    return sorted(found.items())


def hashing(lines: Iterable[Line]) -> Curves:
    curves: Curves = defaultdict(list)
    for line in lines:
        if line["benchmark"] == "hash":
            curves[f"alpha-build {line['system']}"].append((line["bytes"], line["GBps"]))
            curves[line["peer"]].append((line["bytes"], line["peer_GBps"]))
    return curves
