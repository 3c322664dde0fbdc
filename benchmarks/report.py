"""Every benchmark in turn; at the end one table and one picture of all that they measured.

    python benchmarks/report.py [--out build/bench] [--only hash,combine] [--lines FILE]

OUT/lines.jsonl holds what they printed, OUT/figures.svg the picture (Matplotlib: pip install '.[bench]').
--lines makes both again from such a file, without measuring.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

Line = dict[str, Any]
HERE = Path(__file__).resolve().parent
HEAD = ("", "n", "bytes", "system", "median", "best", "processor", "/best peer", "/floor", "processor/floor")
NOTE = (
    "Times are divided by the best peer's of the same run and by the floor's (docs/performance.md): "
    "the less the better.\nRates (GB/s) are divided by the peer's: the more the better."
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=HERE.parent / "build" / "bench")
    parser.add_argument("--only", help="names of benchmarks, with commas between them")
    parser.add_argument("--lines", type=Path, help="what an earlier run wrote")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.lines:
        lines = [json.loads(line) for line in given.lines.read_text().splitlines()]
    else:
        lines = []
        with (given.out / "lines.jsonl").open("w") as kept:
            for line in measured(given.only.split(",") if given.only else names()):
                lines.append(line)
                print(json.dumps(line), file=kept, flush=True)
    print(f"{table(lines)}\n{NOTE}")
    if importlib.util.find_spec("matplotlib") is None:
        print("figures.svg: skipped, Matplotlib is not installed (pip install '.[bench]')", file=sys.stderr)
    else:
        from peers.picture import draw

        draw(last_of_each(lines), given.out / "figures.svg")


def names() -> list[str]:
    return sorted(path.stem for path in HERE.glob("*.py") if path.stem != Path(__file__).stem)


def measured(benchmarks: Iterable[str]) -> Iterator[Line]:
    """What each prints, as it prints it; what it says on standard error is shown."""
    for name in benchmarks:
        print(f"{name} ...", file=sys.stderr, flush=True)
        argv = [sys.executable, str(HERE / f"{name}.py")]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            for line in process.stdout:
                yield {"benchmark": name, **json.loads(line)}
        if process.returncode != 0:
            raise SystemExit(f"{name}.py ended with {process.returncode}")


def last_of_each(lines: Iterable[Line]) -> list[Line]:
    """A system's turns stand before the line that sums them up."""
    found: dict[tuple[object, ...], Line] = {}
    for line in lines:
        found[tuple(line.get(key) for key in ("benchmark", "n", "bytes", "system", "role"))] = line
    return list(found.values())


def table(lines: Iterable[Line]) -> str:
    rows: list[tuple[str, ...]] = [HEAD]
    before = ""
    for line in last_of_each(lines):
        if "median_us" not in line and "GBps" not in line:
            continue
        name = line.get("benchmark", "")
        system = " ".join(str(line[key]) for key in ("system", "role") if key in line)
        rows.append(
            (
                name if name != before else "",
                str(line.get("n", "")),
                str(line.get("bytes", "")),
                system,
                _rate(line.get("GBps")) or _time(line["median_us"]),
                _rate(line.get("best_GBps")) or _time(line.get("min_us")),
                _time(line.get("cpu_us")),
                *(_ratio(line.get(key)) for key in ("ratio", "floor_ratio", "cpu_floor_ratio")),
            )
        )
        before = name
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows
    )


def _rate(value: float | None) -> str:
    return "" if value is None else f"{value:.2f} GB/s"


def _time(value: float | None) -> str:
    return "" if value is None else f"{value:,.1f} us"


def _ratio(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


if __name__ == "__main__":
    main()
