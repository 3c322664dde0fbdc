"""JAX's own primitive harnesses through the lowering: each agrees with JAX or is refused by name."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from alpha_build.build import reference
from alpha_build.build.reference import compile_programs
from alpha_build.learner.lower import lower
from alpha_build.learner.program import Program
from alpha_build.learner.trace_program import to_program
from alpha_build.system.errors import AlphaError, BuildFailure

# Relative to the greatest magnitude of a result: what XLA's own approximations and orders differ by.
BOUNDS = {"float64": 1e-10, "float32": 2e-4, "float16": 5e-3, "bfloat16": 4e-2}
# What we do otherwise on purpose.
ON_PURPOSE = {"top_k_sort_inf_nan_inshape_float32_5_k_5": "a NaN has no sign here: -NaN is not the least"}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "harness.md"
_COUNT = """\
import pickle, sys
sys.path.insert(0, sys.argv[1])
from learner.harness import counted
tally = counted(set(sys.argv[2:]))
sys.stdout.buffer.write(pickle.dumps((tally.outcomes, tally.refusals, tally.wrong)))
"""
REFUSED, WRONG, RAISES = "refused", "wrong", "raises in JAX"


@dataclass
class Tally:
    """Counts by harness group, dtype and outcome; what was wrong, by harness."""

    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    wrong: dict[str, str] = field(default_factory=dict)

    def count(self, outcome: str) -> int:
        return sum(number for (_, _, what), number in self.outcomes.items() if what == outcome)

    def note(self, harness: Any, outcome: str, why: str = "") -> None:
        self.outcomes[harness.group_name, np.dtype(harness.dtype).name, outcome] += 1
        if outcome == REFUSED:
            self.refusals[why] += 1
        if outcome == WRONG:
            self.wrong[harness.fullname] = why


def harnesses() -> list[Any]:
    """All of them, in JAX's order."""
    found = pytest.importorskip("jax._src.internal_test_util.test_harnesses", reason="needs absl-py")
    listed: list[Any] = found.all_harnesses
    return listed


@dataclass(frozen=True)
class _Case:
    harness: Any
    function: Any
    arguments: list[Any]
    program: Program


def _case(harness: Any) -> _Case:
    """Traced and lowered once, so that a refusal is known before anything is compiled.

    Raises:
        AlphaError: it is refused.
    """
    arguments = harness.dyn_args_maker(np.random.RandomState(0))
    program = to_program(jax.make_jaxpr(harness.dyn_fun)(*arguments))
    lower(program, "check", target="x86_64", rounding="separate")
    return _Case(harness, harness.dyn_fun, [jax.numpy.asarray(a) for a in arguments], program)


def run(chosen: Sequence[Any], folder: Path, tally: Tally, per_unit: int = 60) -> None:
    """Runs harnesses, many to a translation unit."""
    cases = []
    for harness in chosen:
        if harness.fullname in ON_PURPOSE:
            continue
        try:
            cases.append(_case(harness))
        except TypeError:  # JAX refuses its own case
            tally.note(harness, RAISES)
        except AlphaError as refusal:
            tally.note(harness, REFUSED, refusal.message.partition(" has no lowering")[0])
    for start in range(0, len(cases), per_unit):
        _run_unit(cases[start : start + per_unit], folder, tally)


def _run_unit(cases: Sequence[_Case], folder: Path, tally: Tally) -> None:
    programs = {f"case{i}": case.program for i, case in enumerate(cases)}
    try:
        with pytest.MonkeyPatch.context() as patch:  # the bits do not depend on it; the time does
            patch.setattr(reference, "_FLAGS", tuple(f if f != "-O3" else "-O0" for f in reference._FLAGS))
            kernels = compile_programs(programs, "separate", folder)
    except BuildFailure as failure:
        if len(cases) == 1:
            tally.note(cases[0].harness, WRONG, failure.message)
            return
        half = len(cases) // 2
        _run_unit(cases[:half], folder, tally)
        _run_unit(cases[half:], folder, tally)
        return
    for i, case in enumerate(cases):
        leaves = [np.asarray(a) for a in jax.tree_util.tree_leaves(case.arguments)]
        ours, theirs = kernels[f"case{i}"](0, leaves), _expected(case)
        if case.harness.group_name == "sort" and not case.harness.params["is_stable"]:
            ours, theirs = _as_rows(ours), _as_rows(theirs)
        difference = _difference(ours, theirs)
        tally.note(case.harness, WRONG if difference else "agrees", difference)


def _expected(case: _Case) -> list[np.ndarray]:
    results = jax.jit(case.function)(*case.arguments)
    return [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(results)]


def _as_rows(results: list[np.ndarray]) -> list[np.ndarray]:
    """Results of an unstable sort, equal keys in an order of ours."""
    if len({each.shape for each in results}) != 1 or results[0].ndim != 1:
        return results
    order = np.lexsort([each.astype(np.float64) for each in results[::-1]])
    return [each[order] for each in results]


def _difference(ours: list[np.ndarray], theirs: list[np.ndarray]) -> str:
    """What differs, or nothing."""
    if len(ours) != len(theirs):
        return f"{len(ours)} results, not {len(theirs)}"
    for left, right in zip(ours, theirs, strict=True):
        if left.dtype != right.dtype or left.shape != right.shape:
            return f"{left.dtype}{left.shape}, not {right.dtype}{right.shape}"
        if right.dtype.name not in BOUNDS:
            if not (left == right).all():
                return f"{left.ravel()[:8]}, not {right.ravel()[:8]}"
            continue
        a, b = left.astype(np.float64), right.astype(np.float64)
        if not (np.isnan(a) == np.isnan(b)).all() or not (np.isinf(a) == np.isinf(b)).all():
            return f"special values: {a.ravel()[:8]}, not {b.ravel()[:8]}"
        finite = np.isfinite(a) & np.isfinite(b)
        bound = BOUNDS[right.dtype.name] * max(1.0, float(np.abs(b[finite]).max(initial=0)))
        if (np.abs(a[finite] - b[finite]) > bound).any() or (a[np.isinf(a)] != b[np.isinf(b)]).any():
            return f"{a.ravel()[:8]}, not {b.ravel()[:8]}"
    return ""


def page(tallies: dict[str, Tally]) -> str:
    """What agreed and what was refused, by group and dtype, as docs/harness.md has it."""
    lines = [
        "# JAX's own cases through the lowering",
        "",
        f"`make harness` wrote this page: jax {jax.__version__}, x86-64. Cases by primitive and dtype, with",
        "numbers of at most 32 bits (JAX's default) and with those of 64. What does not agree is refused, by",
        "name.",
    ]
    for mode, tally in tallies.items():
        lines += [
            "",
            f"## {mode}",
            "",
            f"{summary(tally)}.",
            "",
            "| primitive | agree | refused |",
            "|---|---|---|",
        ]
        for group in sorted({group for group, _, _ in tally.outcomes}):
            cells = [_counts(tally, group, what) for what in ("agrees", REFUSED)]
            lines.append(f"| `{group}` | {cells[0]} | {cells[1]} |")
    return "\n".join(lines) + "\n"


def _counts(tally: Tally, group: str, what: str) -> str:
    found = sorted((dtype, n) for (g, dtype, w), n in tally.outcomes.items() if (g, w) == (group, what))
    return ", ".join(f"{dtype} {number}" for dtype, number in found)


def summary(tally: Tally) -> str:
    """Counts of all, and of those outside the scatter family, which is more than half of them."""
    rest = sum(
        number
        for (group, _, what), number in tally.outcomes.items()
        if what == "agrees" and not group.startswith("scatter")
    )
    return (
        f"{tally.count('agrees')} agree ({rest} of them outside the scatter family), "
        f"{tally.count(REFUSED)} are refused, {tally.count(WRONG)} are wrong"
    )


def counted(named: set[str]) -> Tally:
    """All harnesses of this process's JAX, or those of the groups named."""
    chosen, tally = [each for each in harnesses() if not named or each.group_name in named], Tally()
    with tempfile.TemporaryDirectory() as folder:
        for start in range(0, len(chosen), 240):
            run(chosen[start : start + 240], Path(folder), tally)
    return tally


def main() -> None:
    """Counts with and without numbers of 64 bits, for the page in the docs; or those of the groups named.

    JAX decides about 64 bits when its harnesses are imported, so each mode has a process of its own.
    """
    tallies = {}
    for mode, wide in (("At most 32 bits", "0"), ("With 64 bits", "1")):
        done = subprocess.run(
            [sys.executable, "-c", _COUNT, str(PAGE.parents[1] / "tests"), *sys.argv[1:]],
            env={**os.environ, "JAX_ENABLE_X64": wide}, stdout=subprocess.PIPE, check=True,
        )  # fmt: skip
        tallies[mode] = tally = Tally(*pickle.loads(done.stdout))
        for name, why in tally.wrong.items():
            print(f"wrong: {name}: {why}")
        print(f"{mode}: {summary(tally)}")
    if len(sys.argv) == 1:
        PAGE.write_text(page(tallies), encoding="utf-8")
    sys.exit(1 if any(tally.wrong for tally in tallies.values()) else 0)


if __name__ == "__main__":
    main()
