"""Which files a build was made from, in the words of Make, for build systems that make it again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from alpha_build.build.output import replace


def write_depfile(path: Path, made: Path, files: Iterable[str]) -> None:
    """A rule: `made` comes from `files`."""
    lines = " \\\n  ".join(_escaped(Path(file).as_posix()) for file in files)
    path.parent.mkdir(parents=True, exist_ok=True)
    replace(path, [f"{_escaped(made.absolute().as_posix())}: \\\n  {lines}\n".encode()])


def _escaped(path: str) -> str:
    path = path.replace("$", "$$")
    for special in (" ", "#"):
        path = path.replace(special, f"\\{special}")
    return path
