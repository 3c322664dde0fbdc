"""A picture to a file: text for graphviz as it is, anything else by graphviz's own programs."""

from __future__ import annotations

from pathlib import Path

from graphviz import ExecutableNotFound
from graphviz.graphs import BaseGraph

from ..system.errors import BuildFailure

TEXT_SUFFIXES = (".dot", ".gv")
SUFFIXES = (*TEXT_SUFFIXES, ".svg", ".pdf", ".png")


def write(picture: BaseGraph, path: Path) -> None:
    """Write in the format of the file's suffix.

    Raises:
        BuildFailure: the suffix is unknown, graphviz is not installed, or the file cannot be written.
    """
    if path.suffix not in SUFFIXES:
        message = f"{path.suffix or 'no suffix'!r} is not a format of pictures"
        hint = f"end the name with one of {', '.join(SUFFIXES)}"
        raise BuildFailure(message, kind="picture-format", where=str(path), hint=hint)
    try:
        path.write_bytes(_bytes(picture, path.suffix))
    except OSError as error:
        message = f"the picture cannot be written: {error.strerror}"
        raise BuildFailure(message, kind="picture", where=str(path), hint="give another --out") from None


def _bytes(picture: BaseGraph, suffix: str) -> bytes:
    if suffix in TEXT_SUFFIXES:
        return str(picture.source).encode()
    try:
        return bytes(picture.pipe(suffix[1:], neato_no_op=2 if picture.engine == "neato" else None))
    except ExecutableNotFound:
        message = "graphviz's programs, which draw the picture, are not installed"
        hint = "run: apt-get install graphviz (or give a name that ends with .dot for the text)"
        raise BuildFailure(message, kind="graphviz-missing", hint=hint) from None
