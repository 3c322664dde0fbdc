"""Where in the user's files an equation or an exception comes from."""

from __future__ import annotations

import functools
import sysconfig
import traceback
from collections.abc import Collection
from pathlib import PurePath
from typing import Any

from jax._src import source_info_util

_LIBRARIES = tuple({sysconfig.get_paths()[key] for key in ("purelib", "platlib", "stdlib", "platstdlib")})
_PACKAGE = str(PurePath(__file__).parents[1])
_INSTALLED = {"site-packages", "dist-packages"}  # of any Python, such as one that lends its packages


@functools.cache
def is_user_file(path: str) -> bool:
    """Whether a file is neither a library's nor ours."""
    if path.startswith(("<", _PACKAGE)) or any(path.startswith(folder) for folder in _LIBRARIES):
        return False
    return _INSTALLED.isdisjoint(PurePath(path).parts)


def place_of(source_info: Any) -> str:
    """`digits.py:12` of the innermost user frame of an equation, or nothing."""
    for frame in source_info_util.user_frames(source_info.traceback):
        if is_user_file(frame.file_name):
            return f"{PurePath(frame.file_name).name}:{frame.start_line}"
    return ""


def place_of_primitive(jaxpr: Any, primitives: Collection[str]) -> tuple[str, str] | None:
    """Name and place of the first equation, inner jaxprs included, of one of some primitives."""
    for equation in jaxpr.eqns:
        if equation.primitive.name in primitives:
            return equation.primitive.name, place_of(equation.source_info)
        for value in equation.params.values():
            for inner in value if isinstance(value, (tuple, list)) else (value,):
                body = getattr(inner, "jaxpr", inner)
                found = place_of_primitive(body, primitives) if hasattr(body, "eqns") else None
                if found:
                    return found
    return None


def place_of_function(function: Any) -> str | None:
    """`digits.py:12` where a function is defined, through functools.partial and jax.jit."""
    while True:
        inner = getattr(function, "func", None) or getattr(function, "__wrapped__", None)
        if inner is None:
            break
        function = inner
    code = getattr(function, "__code__", None)
    return f"{PurePath(code.co_filename).name}:{code.co_firstlineno}" if code else None


def place_of_exception(error: BaseException) -> str | None:
    """`digits.py:12` of the innermost user frame that an exception went through."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if is_user_file(frame.filename):
            return f"{PurePath(frame.filename).name}:{frame.lineno}"
    return None
