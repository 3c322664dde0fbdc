"""A small system for build tests: a pair that adds, one of the two on the target that is asked for."""

from __future__ import annotations

from pathlib import Path

PAIR = """\
import alpha_build as ab

twice = ab.Operation(
    "twice", reads=["x"], writes=["x"],
    preamble='''{before}static float two() {{ return {factor}; }}''',
    cpp='''
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] *= two(){extra};
''')

system = ab.System(
    name="pair", members=2, topology=ab.Pair(), regions={{"x": ab.Region("f32", (1 << 18,), initial=1.0)}},
    operations=[twice], pairing={{1: ab.Target("{target}")}},
    protocol=ab.Repeat(3, ab.Sequence(ab.Everyone("twice"), ab.Combine("x"), ab.Deliver("x"))),
)
"""


def write_pair(
    folder: Path, *, target: str = "x86_64", factor: str = "2.0f", extra: str = "", before: str = ""
) -> str:
    """The system file's path, as build() takes it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pair.py"
    path.write_text(PAIR.format(target=target, factor=factor, extra=extra, before=before))
    return str(path)
